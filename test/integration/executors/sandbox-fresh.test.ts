/** Many tasks in a row on warm interpreters, each of which leaves what it can; none sees a trace of another. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import { RunnerPool } from '../../../daemon/executors/runner.ts';
import { defaultLimits, type Executor } from '../../../daemon/executors/sandbox.ts';
import { requireTier, tiersUnderTest } from '../../sandboxes.ts';

/** Says what it found on arrival, then leaves files, shared memory, a variable, a descriptor and a process behind. */
const litter = `
import hashlib, json, os, time
def tree(root):
    for folder, folders, files in os.walk(root):
        for name in sorted(files):
            path = os.path.join(folder, name)
            yield path[len(root):], hashlib.sha256(open(path, "rb").read()).hexdigest()
def litter(isolated, index):
    own = {"HOME", "TMPDIR", "TEMP", "TMP", "PWD", "PEAGEN_SANDBOX"}
    found = {
        "tmp": hashlib.sha256(json.dumps(sorted(tree(os.getcwd()))).encode()).hexdigest(),
        "environment": {name: value for name, value in sorted(os.environ.items()) if name not in own},
        "descriptors": len(os.listdir("/proc/self/fd")),
        "hostname": os.uname().nodename if isolated else "",
        "shared": sorted(os.listdir("/dev/shm")) if isolated else [],
        "processes": len([p for p in os.listdir("/proc") if p.isdigit()]) if isolated else 0,
        "left": [name for name in dir(os) if name.startswith("litter")],
    }
    for n in range(3): open("litter-%d-%d" % (n, index), "w").write(str(index))
    if isolated: open("/dev/shm/litter-%d" % index, "w").write("x")
    os.environ["LITTER"] = str(index)
    setattr(os, "litter_%d" % index, os.open("litter-0-%d" % index, os.O_RDONLY))
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    return json.dumps(found)
`;

const Found = z.object({ left: z.array(z.string()), environment: z.record(z.string(), z.string()) });

/** A few for each slot of the pool: what one leaves behind is seen by the next. */
const TASKS = { bubblewrap: 60, plain: 40, docker: 12, podman: 8 } as Readonly<Record<string, number>>;
const PARALLEL = 4;

for (const { name, create } of tiersUnderTest()) {
  describe(`many tasks in the ${name} tier`, () => {
    let tier: Executor;
    before(async function () {
      tier = create();
      await requireTier(tier, this);
    });

    it(`finds every one of ${TASKS[name]} warm sandboxes as fresh as the first`, async () => {
      const sandboxes = { tier, warning: undefined, limits: { ...defaultLimits, wallMs: 20_000 } };
      const pool = new RunnerPool(sandboxes, 'python', new AbortController().signal);
      const seen = new Map<string, number>();
      let next = 0;
      const tasks = async (): Promise<void> => {
        while (next < (TASKS[name] ?? 0)) {
          const index = next++;
          pool.prefetch(PARALLEL);
          const line = await pool.use(async (runner) => {
            const files = [{ path: 'task.py', text: litter }];
            const loaded = await runner.ask({ op: 'load', path: 'task.py', fn: 'litter', files }, 20_000);
            assert.equal(loaded.kind, 'answer');
            const reply = await runner.ask({ op: 'call', args: [name !== 'plain', index], kwargs: {} }, 20_000);
            assert.ok(reply.kind === 'answer' && typeof reply.value['value'] === 'string', JSON.stringify(reply));
            return reply.value['value'];
          });
          seen.set(line, (seen.get(line) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, tasks));
      await pool.close();
      const { left, environment } = Found.parse(JSON.parse([...seen.keys()][0] ?? ''));
      assert.deepEqual([left, environment['LITTER']], [[], undefined]);
      assert.deepEqual([...seen.values()], [TASKS[name]], [...seen.keys()].slice(0, 3).join('\n'));
    });
  });
}
