/**
 * The cross-contamination suite over the whole chain of queue, host or worker, and executor: programs that leave behind what they
 * can, one after another and next to each other; none finds a trace of another, and neither does this process.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as z from 'zod';
import { newTaskId } from '../../shared/ids.ts';
import type { Result, Task } from '../../shared/task.ts';
import { hostile, prelude } from '../integration/executors/escape/programs.ts';
import { type Targets, Trap } from '../integration/executors/escape/trap.ts';
import { until } from '../integration/fabric/worker-fabric.ts';

/** As it is loaded, it looks at all that another could have left, and leaves the same. */
const litter = `import builtins, hashlib, json, os, sys
def look():
    found = []
    for root in ("/tmp", "/dev/shm"):
        for folder, _folders, files in os.walk(root):
            for name in sorted(files):
                path = os.path.join(folder, name)
                found.append([path, hashlib.sha256(open(path, "rb").read()).hexdigest()])
    environment = sorted(os.environ.items())
    names = [name for name in dir(builtins) if name.startswith("litter")]
    processes = sum(name.isdigit() for name in os.listdir("/proc"))
    return json.dumps([hashlib.sha256(json.dumps(found).encode()).hexdigest(), environment, names, processes, os.getcwd(), os.umask(0o77)])
FOUND = look()
for place in ("/tmp/litter", "/dev/shm/litter"):
    with open(place, "w") as file: file.write("x")
os.environ["LITTER"] = "x"
builtins.litter = "x"
if os.fork() == 0:
    os.setsid()
    os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "MARK"])
def found(n): return FOUND
`;

const Found = z.object({ value: z.array(z.string()) });
const Data = z.object({ basis: z.object({ data: z.object({ results: z.array(z.unknown()) }) }) });

function litterTask(mark: string): Task {
  return founding(litter.replace('MARK', mark));
}

/** A task that loads the program and keeps what its function `found` returns. */
function founding(text: string): Task {
  const program = {
    language: 'python',
    files: [{ path: 'target.py', text }],
    spans: [{ path: 'target.py', start: 0, end: text.length }],
  };
  const evaluator = { name: 'function', options: { entry: { path: 'target.py', fn: 'found' }, calls: [{ args: [1] }] } };
  const payload = {
    ...{ mode: 'basis', program, basis: { evaluator, original: program, data: null } },
    ...{ deterministic: true, effort: 'quick' },
  };
  const created_at = new Date().toISOString();
  return { kind: 'execute', id: newTaskId(), payload, requires: ['cpu', 'python'], attempts: 0, created_at, schema_v: 1 };
}

/** Those that only use up what there is are left to the escape suite, where they end sooner. */
const spending = /without end|memory|disk|terabytes|gigabytes|stack|gives the processor|kills everybody/;

interface Attack {
  readonly code: string;
  readonly targets: Targets;
}

/** Each hostile program in a process of its own, in the sandbox of a candidate, which returns what they say. */
const attacking = (attacks: readonly Attack[]): string => `import json, os, subprocess, sys, time
ATTACKS = json.loads(${JSON.stringify(JSON.stringify(attacks))})
def begun(number, attack):
    folder = "attack%d" % number
    os.mkdir(folder)
    with open(folder + "/targets.json", "w") as file: file.write(json.dumps(attack["targets"]))
    with open(folder + "/attack.py", "w") as file: file.write(attack["code"])
    # A file, which does not wait for processes that hold it open when the program itself has ended.
    with open(folder + "/said", "w") as said:
        return subprocess.Popen([sys.executable, "-S", "attack.py"], cwd=folder, stdout=said, stderr=subprocess.DEVNULL)
def ended(number, process):
    try: process.wait(max(0, END - time.monotonic()))
    except subprocess.TimeoutExpired: pass
    with open("attack%d/said" % number) as file: said = file.read()
    # The same each time, as a result must be: neither how it was contained, nor whether it still waits for what it will not get.
    return said[:500] if said != "" and not said.startswith("contained: ") else "contained"
BEGUN = [begun(*one) for one in enumerate(ATTACKS)]
# One for all, which lies well within the time limit of the sandbox.
END = time.monotonic() + 3
SAID = [ended(*one) for one in enumerate(BEGUN)]
def found(n): return SAID
`;

/** Hostile programs of one candidate: few enough for its limit of processes. */
export const TOGETHER = 6;

/**
 * The same with the hostile programs of the escape suite: none reaches what stands around the host or the worker. `run`: as
 * below. Returns what each said, where it lived to say it.
 */
export async function assertContained(run: (task: Task) => Promise<Result>): Promise<string[]> {
  const trap = await Trap.set();
  try {
    const attacks = hostile.filter(({ name, language }) => language === 'python' && !spending.test(name));
    const said: string[] = [];
    const work = async (): Promise<void> => {
      for (let next = attacks.splice(0, TOGETHER); next.length > 0; next = attacks.splice(0, TOGETHER)) {
        const sent = next.map(({ name, code }) => ({ code: `${prelude.python}\n${code}\n`, targets: trap.targetsFor(name) }));
        const { data } = await run(founding(attacking(sent)));
        // Its own text, with the targets, is part of what comes back; what it found is not.
        const found = Found.safeParse(Data.safeParse(data).data?.basis.data.results[0]).data?.value ?? [];
        for (const [index, { name }] of next.entries()) {
          const verdict = found[index] ?? '';
          assert.doesNotMatch(verdict, /escaped/, `${name}: ${verdict}`);
          said.push(verdict);
        }
      }
    };
    await Promise.all([work(), work()]);
    const damage = (): string[] => hostile.flatMap(({ name }) => trap.damage(trap.targetsFor(name).sign));
    assert.deepEqual(
      damage().filter((what) => !what.endsWith('lives on')),
      [],
    );
    // A sandbox is taken down behind its result.
    await until('nobody lives on', () => damage().length === 0);
    return said;
  } finally {
    await trap.close();
  }
}

/** `run`: hands a task to the queue and returns its result. Two tasks run at a time. */
export async function assertNoContamination(run: (task: Task) => Promise<Result>, tasks: number): Promise<void> {
  // By which their processes are known.
  const mark = `litter.${process.pid}`;
  const before = { ...process.env };
  const seen = new Map<string, number>();
  const one = async (): Promise<void> => {
    const { status, data } = await run(litterTask(mark));
    assert.equal(status, 'ok', JSON.stringify(data));
    const found = JSON.stringify(Data.parse(data).basis.data.results);
    assert.doesNotMatch(found, /litter|LITTER/);
    seen.set(found, (seen.get(found) ?? 0) + 1);
  };
  for (let done = 0; done < tasks; done += 2) await Promise.all([one(), one()]);
  assert.deepEqual([...seen.values()], [tasks], [...seen.keys()].join('\n'));
  assert.deepEqual({ ...process.env }, before);
  assert.deepEqual(leftBehind(mark), []);
}

/** Litter in the folders of this machine, and processes that live on. */
function leftBehind(mark: string): string[] {
  const files = [tmpdir(), '/dev/shm'].flatMap((place) => readdirSync(place).filter((name) => name.startsWith('litter')));
  const processes = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(mark);
    } catch {
      return false;
    }
  });
  return [...files, ...processes];
}
