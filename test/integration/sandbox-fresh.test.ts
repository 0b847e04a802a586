/** P-3: a thousand tasks in a row, each of which litters as it can; none sees a trace of another. */
import assert from 'node:assert/strict';
import { defaultLimits, type SandboxTier } from '../../daemon/sandbox/sandbox.ts';
import { requireTier, tiersUnderTest } from '../sandboxes.ts';

/** Says what it found on arrival, then leaves files, shared memory, a child and a message queue behind. */
const litter = `
import hashlib, json, os, sys
def tree(root):
    for folder, folders, files in os.walk(root):
        for name in sorted(files):
            path = os.path.join(folder, name)
            yield path, hashlib.sha256(open(path, "rb").read()).hexdigest()
tmp = hashlib.sha256(json.dumps(sorted(tree(os.getcwd()))).encode()).hexdigest()
own = {"HOME", "TMPDIR", "TEMP", "TMP", "PWD", "PEAGEN_SANDBOX"}
found = {
    "tmp": tmp,
    "environment": {name: value for name, value in sorted(os.environ.items()) if name not in own},
    "descriptors": sorted(n for n in os.listdir("/proc/self/fd") if int(n) > 3),
    "hostname": os.uname().nodename if os.path.exists("/peagen") else "",
    "shared": sorted(os.listdir("/dev/shm")) if sys.argv[1] == "isolated" else [],
    "processes": len([p for p in os.listdir("/proc") if p.isdigit()]) if sys.argv[1] == "isolated" else 0,
}
print(json.dumps(found), flush=True)
for n in range(3): open("litter-%d-%s" % (n, sys.argv[2]), "w").write(sys.argv[2])
if sys.argv[1] == "isolated": open("/dev/shm/litter-" + sys.argv[2], "w").write("x")
if os.fork() == 0:
    os.setsid()
    import time
    time.sleep(600)
`;

const TASKS = { bubblewrap: 1000, plain: 100, docker: 60, podman: 20 } as Readonly<Record<string, number>>;

for (const { name, create } of tiersUnderTest()) {
  describe(`many tasks in the ${name} tier`, function () {
    this.timeout(240_000);
    let tier: SandboxTier;
    before(async function () {
      tier = create();
      await requireTier(tier, this);
    });

    it(`finds every one of ${TASKS[name]} sandboxes as fresh as the first`, async () => {
      const seen = new Map<string, number>();
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < (TASKS[name] ?? 0)) {
          const index = next++;
          const sandbox = await tier.open({
            runtime: 'python',
            argv: ['-S', '-c', litter, name === 'plain' ? 'shared' : 'isolated', String(index)],
            limits: { ...defaultLimits, wallMs: 20_000 },
          });
          const line = (await sandbox.receive()) ?? (await sandbox.exited).stderr;
          seen.set(line, (seen.get(line) ?? 0) + 1);
          sandbox.kill();
          await sandbox.exited;
        }
      };
      await Promise.all(Array.from({ length: 4 }, worker));
      assert.deepEqual([...seen.values()], [TASKS[name]], [...seen.keys()].slice(0, 3).join('\n'));
    });
  });
}
