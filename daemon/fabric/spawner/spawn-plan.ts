/**
 * Decides how many workers to launch and which idle ones to end. Pure: the spawner measures, calls this, and acts.
 *
 * A *class* is a set of capability tags that workers are launched with. *Ready* workers are idle or still starting.
 */

export interface ClassState {
  /** Waiting tasks that workers of this class are to run; each task is counted in one class only. */
  readonly pending: number;
  readonly starting: number;
  readonly idle: number;
  readonly busy: number;
  /** Have had their task and are about to exit. */
  readonly ending: number;
  /** Tasks that workers of this class may hold at a time. */
  readonly parallel: number;
  /** No launches before this time, after failures. Milliseconds since the epoch; 0: none. */
  readonly backOffUntil: number;
  /** The last launches failed: one more shows whether they still do. */
  readonly probing: boolean;
}

export interface SpawnLimits {
  /** Idle workers kept ahead of demand, per class, while there is any. */
  readonly warmPool: number;
  /** Live workers of all classes together. */
  readonly maxParallel: number;
}

interface SpawnStep {
  readonly launch: number;
  /** Idle workers to end, because another class needs their place. */
  readonly retire: number;
}

/** O(classes × launches). The steps are in the order of the classes. */
export function planSpawns(classes: readonly ClassState[], limits: SpawnLimits, now: number): SpawnStep[] {
  const steps = classes.map(() => ({ launch: 0, retire: 0 }));
  const live = classes.reduce((sum, { starting, idle, busy, ending }) => sum + starting + idle + busy + ending, 0);
  const free = Math.max(0, limits.maxParallel - live);
  const needed = classes.map((state) => shortfall(state, Math.min(state.pending, state.parallel - state.busy), now));
  const wanted = classes.map((state) => shortfall(state, readyWanted(state, limits.warmPool), now));
  // Tasks that wait come before warm workers, and every class has its turn.
  const left = share(free, needed, steps);
  share(
    left,
    wanted.map((count, index) => count - (steps[index]?.launch ?? 0)),
    steps,
  );
  makeRoom(classes, needed, steps);
  return steps;
}

/** Ready workers that a class should have: none without demand, so that it goes to zero. */
function readyWanted({ pending, busy, parallel }: ClassState, warmPool: number): number {
  if (pending === 0 && busy === 0) return 0;
  return Math.max(0, Math.min(pending, parallel - busy)) + warmPool;
}

function shortfall({ starting, idle, backOffUntil, probing }: ClassState, ready: number, now: number): number {
  if (now < backOffUntil) return 0;
  return Math.max(0, Math.min(ready - idle, probing ? 1 : Number.POSITIVE_INFINITY) - starting);
}

/** Hands out places one at a time, class after class; returns what is left. */
function share(places: number, wants: readonly number[], steps: { launch: number }[]): number {
  const open = wants.map((count) => Math.max(0, count));
  let left = places;
  while (left > 0 && open.some((count) => count > 0)) {
    for (const [index, step] of steps.entries()) {
      if (left === 0 || (open[index] ?? 0) === 0) continue;
      step.launch += 1;
      open[index] = (open[index] ?? 0) - 1;
      left -= 1;
    }
  }
  return left;
}

/** All places are taken: a class that can run nothing now gives up idle workers to one that cannot start. */
function makeRoom(classes: readonly ClassState[], needed: readonly number[], steps: { launch: number; retire: number }[]): void {
  let missing = needed.reduce((sum, count, index) => sum + Math.max(0, count - (steps[index]?.launch ?? 0)), 0);
  for (const [index, step] of steps.entries()) {
    const state = classes[index];
    if (state === undefined || missing === 0) continue;
    const spare = Math.max(0, state.idle - Math.min(state.pending, Math.max(0, state.parallel - state.busy)));
    step.retire = Math.min(spare, missing);
    missing -= step.retire;
  }
}

const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 30_000;

/** How long to wait after this many failed launches in a row. */
export function backOffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (failures - 1));
}
