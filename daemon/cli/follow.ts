/** Follows a run until it has stopped: its progress, the keys that pause and stop it, and its summary. */

import { emitKeypressEvents } from 'node:readline';
import { smallShare } from '../../shared/gain.ts';
import { AwaitRun, PauseRun, RunEventNotification, StopRun, UnpauseRun } from '../../shared/protocol/runs.ts';
import type { RunInfo, RunSummary } from '../../shared/run.ts';
import { TerminalDashboard } from './dashboard.ts';
import { say } from './output.ts';
import { type Progress, ProgressLine } from './progress.ts';
import type { CommandSession } from './session.ts';
import { countOf } from './words.ts';

/**
 * Shows progress until the run has stopped. Ctrl+C once ends it in an orderly way. Twice leaves it: where it outlives the
 * command it goes on, and is not even asked to stop when the second press comes soon.
 */
export async function followRun(
  { client, leave, secondPressMs }: CommandSession,
  { run, state }: RunInfo,
  { dashboard = false } = {},
): Promise<RunSummary> {
  const whole = dashboard && process.stderr.isTTY === true;
  const progress: Progress = whole ? new TerminalDashboard(client) : new ProgressLine();
  say(`run ${run}`);
  let following = true;
  client.on(RunEventNotification, ({ run: other, event, info }) => {
    if (!following || other !== run) return;
    if (event.type === 'rebased') {
      progress.clear();
      say(
        `the file was edited: ${countOf(event.carried.length, 'candidate')} judged again, ${event.dropped} do not apply any more`,
      );
    }
    const share = event.type === 'baseline' && info !== undefined ? smallShare(info) : undefined;
    if (share !== undefined) {
      progress.clear();
      say(`warning: the program takes ${share} % of the time of the command, so that a gain hardly shows; give --inputs instead`);
    }
    if (info !== undefined) progress.show(event, info);
  });
  const stop = () => void client.request(StopRun, { run }).catch(() => undefined);
  let stopping: NodeJS.Timeout | undefined;
  const onInterrupt = () => {
    if (stopping !== undefined) {
      progress.end();
      say(leave(run));
      process.exit(130);
    }
    progress.clear();
    const again = secondPressMs === 0 ? 'end at once' : 'leave the run to the daemon';
    say(`\nstopping; the best so far is confirmed first (Ctrl+C again to ${again})`);
    stopping = setTimeout(stop, secondPressMs);
  };
  let paused = state === 'paused';
  const pause = (wanted: boolean) => {
    paused = wanted;
    progress.clear();
    say(paused ? '\npaused; what is in flight is finished (p to go on)' : '\ngoing on');
    client.request(paused ? PauseRun : UnpauseRun, { run }).catch(() => undefined);
  };
  process.on('SIGINT', onInterrupt);
  const releaseKeys = onKeys({ p: () => pause(!paused), interrupt: onInterrupt });
  try {
    return await client.request(AwaitRun, { run });
  } finally {
    following = false;
    clearTimeout(stopping);
    process.off('SIGINT', onInterrupt);
    releaseKeys();
    progress.end();
  }
}

interface Keys {
  readonly p: () => void;
  /** Ctrl+C, which sends no signal while keys are read one by one. */
  readonly interrupt: () => void;
}

/** Single keys while a command works, on a terminal. Call the returned function to give the terminal back. */
function onKeys({ p, interrupt }: Keys): () => void {
  const { stdin } = process;
  if (stdin.isTTY !== true) return () => undefined;
  const onKey = (_text: string | undefined, key: { name?: string; ctrl?: boolean }) => {
    if (key.ctrl === true && key.name === 'c') interrupt();
    else if (key.name === 'p') p();
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume().on('keypress', onKey);
  return () => {
    stdin.off('keypress', onKey).pause();
    stdin.setRawMode(false);
  };
}
