/** Cheats on a folder's own evaluator: a program in a process of its own reaches neither its score nor its clock. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderEvaluator } from '../../../daemon/judging/folder/folder.ts';
import type { Basis } from '../../../shared/payloads.ts';
import { contextOf, programOf } from './judging.ts';

const evaluatorFile = `import importlib.util, time
def evaluate(path):
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    start = time.perf_counter()
    for n in (20000, 30000):
        assert program.total(n) == n * (n - 1) // 2
    taken = time.perf_counter() - start
    return {"combined_score": 1 / taken}
`;
const slow = 'def total(n):\n    s = 0\n    for i in range(n): s += i\n    return s\n';
const honest = 'def total(n): return n * (n - 1) // 2\n';

/** Each does the original's work. */
const cheats: Readonly<Record<string, string>> = {
  'replaces the clock': `import time\n_real = time.perf_counter\ntime.perf_counter = lambda: _real() / 1e6\n${slow}`,
  'replaces the clock without naming it': `import time\n_name = "perf_" + "counter"\n_real = getattr(time, _name)\nsetattr(time, _name, lambda: _real() / 1e6)\n${slow}`,
  'writes a score to the result channel of its callers': `import json, os, sys
def total(n):
    frame = sys._getframe(0)
    while frame is not None:
        if "word" in frame.f_locals and "outward" in frame.f_locals:
            line = "%s %s\\n" % (frame.f_locals["word"], json.dumps({"metrics": {"combined_score": 1e12}}))
            os.write(frame.f_locals["outward"], line.encode())
            os._exit(0)
        frame = frame.f_back
    return n * (n - 1) // 2 if sum(range(n)) else 0
`,
  'looks for the channel among the descriptors of other processes': `import os
def total(n):
    for pid in [one for one in os.listdir("/proc") if one.isdigit()]:
        try:
            for fd in os.listdir("/proc/%s/fd" % pid):
                with open("/proc/%s/fd/%s" % (pid, fd), "w") as file: file.write('{"metrics": {"combined_score": 1e12}}\\n')
        except (OSError, ValueError): pass
    s = 0
    for i in range(n): s += i
    return s
`,
  'ends every process that it can': `import os, signal
def total(n):
    for pid in [int(one) for one in os.listdir("/proc") if one.isdigit()]:
        if pid not in (1, os.getpid()):
            try: os.kill(pid, signal.SIGKILL)
            except OSError: pass
    s = 0
    for i in range(n): s += i
    return s
`,
  'returns a number that equals every other':
    'class Any(int):\n    def __eq__(self, other): return True\ndef total(n): return Any(1)\n',
};

/** Processes that were not forked from the same one have a built-in object at different places. */
const lookingEvaluator = `import importlib.util, sys
def evaluate(path):
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return {"metrics": {"combined_score": 1.0}, "artifacts": {"seen": program.look(), "server": str(id(sys.modules))}}
class Result:
    def __init__(self, found): self.metrics, self.artifacts = found["metrics"], found["artifacts"]
plain = evaluate
def evaluate(path): return Result(plain(path))
`;
/** Returns everything that an earlier candidate could have changed, \`SECRET\` of its memory included. */
const observer = `import ctypes, os, re, resource, socket
def listed(top):
    return sorted(os.path.join(place, name) for place, folders, files in os.walk(top) for name in folders + files)
def look():
    libc = ctypes.CDLL(None, use_errno=True)
    mine = os.getpid()
    others = [one for one in os.listdir("/proc") if one.isdigit()]
    with socket.socket(socket.AF_UNIX) as client:
        connected = client.connect_ex("\\0peagen-left")
    secret = "-".join(["word", "of", "the", "attacker"]).encode().upper()
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps.read().splitlines():
            first, last = [int(one, 16) for one in line.split()[0].split("-")]
            if "rw" not in line or last - first > 1 << 28: continue
            try:
                memory.seek(first)
                found += memory.read(last - first).count(secret)
            except (OSError, ValueError): pass
    return repr((
        listed("/tmp"), listed("/dev/shm"), listed("/dev"), sorted(os.environ.items()), len(others),
        connected, libc.shmget(4711, 16, 0), os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, 1),
        os.sched_getaffinity(1), resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_NPROC), os.umask(0o22),
        os.getcwd(), re.sub("[ug]id=[0-9]+", "", open("/proc/self/mounts").read()), os.getuid(), found > 1,
    ))
`;
/** Tries what would reach the server or a later candidate, and leaves what it can. */
const attacker = `import ctypes, os, signal, socket
word = "WORD-OF-THE-ATTACKER" * 1000
libc = ctypes.CDLL(None, use_errno=True)
def tried(work):
    try: return work()
    except BaseException: return None
def spoil(pids):
    for pid in pids:
        for file in ("mem", "oom_score_adj", "environ", "fd/0", "fd/1", "fd/2"):
            tried(lambda: open("/proc/%d/%s" % (pid, file), "r+b", 0).write(b"0"))
        libc.ptrace(16, pid, None, None)
        tried(lambda: os.sched_setaffinity(pid, [0]))
        tried(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
        tried(lambda: __import__("resource").prlimit(pid, 7, (4, 4)))
        fd = libc.syscall(434, pid, 0)
        if fd >= 0: libc.syscall(438, fd, 0, 0)
def look():
    pids = [int(one) for one in os.listdir("/proc") if one.isdigit()]
    for top in ("/tmp", "/dev/shm", "/dev", "/dev/pts", "/", "/peagen", "/evaluation", "/usr", "/proc/sys/kernel"):
        tried(lambda: open(top + "/left.pth", "w").write("import os"))
        tried(lambda: os.chmod(top, 0o777))
    for flags in (0x10000000, 0x20000, 0x20000000, 0x8000000):
        libc.unshare(flags)
    libc.umount2(b"/proc", 2), libc.umount2(b"/tmp", 2), libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None)
    libc.shmget(4711, 16, 0o1666)
    for pid in [0, 1] + pids: tried(lambda: libc.setns(os.open("/proc/%d/ns/pid" % pid, os.O_RDONLY), 0))
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 65): tried(lambda: signal.signal(number, signal.SIG_IGN))
        if os.fork() != 0: os._exit(0)
        server = socket.socket(socket.AF_UNIX)
        server.bind("\\0peagen-left")
        server.listen(9)
        while True:
            tried(lambda: spoil([int(one) for one in os.listdir("/proc") if one.isdigit() and int(one) != os.getpid()]))
            tried(lambda: open("/tmp/left", "w").write(word))
    spoil(pids + [2, 3, 4, 5])
    for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV): tried(lambda: os.kill(1, number))
    return "attacked"
`;
/** End the evaluation's processes, or take what they need. */
const destroyers: Readonly<Record<string, string>> = {
  'sends signals to every process': 'import os, signal\ndef look():\n    os.kill(-1, signal.SIGKILL)\n',
  'sends signals to its group': 'import os, signal\ndef look():\n    os.kill(0, signal.SIGKILL)\n',
  'fills /tmp and /dev/shm': `def look():
    for place in ("/dev/shm/full", "/tmp/full"):
        try:
            with open(place, "wb") as file:
                while True: file.write(bytes(1 << 20))
        except OSError: pass
    return "full"
`,
  'starts as many processes as it can': `import os, time
def look():
    for _ in range(500):
        try:
            if os.fork() == 0:
                while True: time.sleep(60)
        except OSError: break
    return "many"
`,
};

describe("candidates that cheat on a folder's evaluator", () => {
  const evaluator = createFolderEvaluator('openevolve');
  const root = mkdtempSync(join(tmpdir(), 'peagen-folders-'));
  let basis: Basis;
  before(async () => {
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'evaluator.py'), evaluatorFile);
    basis = await prepared(evaluatorFile).then((found) => found.basis);
  });
  after(() => rmSync(root, { recursive: true }));

  const prepared = async (text: string) => {
    writeFileSync(join(root, 'evaluator.py'), text);
    return await evaluator.prepare(programOf('python', slow), { name: 'openevolve', options: { root } }, await contextOf());
  };
  const judged = async (code: string) => {
    writeFileSync(join(root, 'evaluator.py'), evaluatorFile);
    return await evaluator.judge(programOf('python', code), basis, await contextOf());
  };

  it('are distinguished from an honest improvement, whose score is not marked', async () => {
    const { outcome, metrics } = await judged(honest);
    assert.equal(outcome.kind, 'correct', outcome.detail);
    assert.ok((metrics['combined_score'] ?? 0) > 0, JSON.stringify(metrics));
    assert.equal(metrics['unverified'], undefined);
  });

  for (const [what, code] of Object.entries(cheats)) {
    it(`gain nothing: one that ${what}`, async () => {
      const { outcome, metrics } = await judged(code);
      // What the original's own noise may be on a busy machine, and far from what each of them claims.
      if (outcome.kind === 'correct') assert.ok((metrics['speedup'] ?? 0) < 1000, JSON.stringify(metrics));
      assert.ok((metrics['combined_score'] ?? 0) < 1e6, JSON.stringify(metrics));
    });
  }

  it('open the memory of no process of the evaluation but their own, whichever waits for the next load included', async () => {
    const twice = `${evaluatorFile}\nonce = evaluate\ndef evaluate(path):\n    once(path)\n    return once(path)\n`;
    const { basis: ofTwo } = await prepared(twice);
    // In the first load: later there may be the copy of that, which is the program's own.
    const prying = `import os, sys
def look():
    seen = [one for one in os.listdir("/proc") if one.isdigit() and one != str(os.getpid())]
    print("seen:", len(seen), file=sys.stderr)
    for pid in seen:
        try: file = open("/proc/%s/mem" % pid, "r+b")
        except OSError: continue
        raise RuntimeError("opened the memory of " + open("/proc/%s/cmdline" % pid).read())
    open("/proc/self/mem", "r+b").close()
def total(n):
    if not os.path.exists("/tmp/looked"):
        open("/tmp/looked", "w").close()
        look()
    return n * (n - 1) // 2
`;
    const { outcome, artifacts } = await evaluator.judge(programOf('python', prying), ofTwo, await contextOf());
    assert.equal(outcome.kind, 'correct', outcome.detail);
    // The evaluator, and what waits for the second load.
    assert.match(artifacts['stderr'] ?? '', /^seen: [2-9]/);
  });

  describe('next to others that are forked from the same server', () => {
    const place = mkdtempSync(join(tmpdir(), 'peagen-folders-'));
    let own: Basis;
    let nests: boolean;
    before(async () => {
      chmodSync(place, 0o755);
      writeFileSync(join(place, 'evaluator.py'), lookingEvaluator);
      const context = await contextOf();
      nests = context.sandboxes.tier.nests === true;
      own = (await evaluator.prepare(programOf('python', observer), { name: 'openevolve', options: { root: place } }, context))
        .basis;
    });
    after(() => rmSync(place, { recursive: true }));
    const seenBy = async (code: string) => await evaluator.judge(programOf('python', code), own, await contextOf());

    it('leave nothing for the next one, and change nothing of it', async () => {
      const first = await seenBy(observer);
      assert.equal(first.outcome.kind, 'correct', first.outcome.detail);
      const attacked = await seenBy(attacker);
      assert.equal(attacked.artifacts['seen'], 'attacked', JSON.stringify(attacked));
      const second = await seenBy(observer);
      assert.equal(second.outcome.kind, 'correct', second.outcome.detail);
      assert.equal(second.artifacts['seen'], first.artifacts['seen']);
      // Else there was nothing in common that could have been attacked.
      if (nests) assert.equal(new Set([first, attacked, second].map(({ artifacts }) => artifacts['server'])).size, 1);
    });

    for (const [what, code] of Object.entries(destroyers)) {
      it(`harm no other: one that ${what}`, async () => {
        const before = await seenBy(observer);
        await seenBy(code);
        const { outcome, artifacts } = await seenBy(observer);
        assert.equal(outcome.kind, 'correct', outcome.detail);
        assert.equal(artifacts['seen'], before.artifacts['seen']);
      });
    }
  });

  it('cannot write the results in place of the harness that writes them', async () => {
    const place = mkdtempSync(join(tmpdir(), 'peagen-folders-'));
    chmodSync(place, 0o755);
    const file = `import argparse, os, time
from shinka.core import run_shinka_eval
def aggregate(results): return {"combined_score": float(sum(results))}
parser = argparse.ArgumentParser()
parser.add_argument("--program_path")
parser.add_argument("--results_dir")
given = parser.parse_args()
run_shinka_eval(given.program_path, given.results_dir, "run", 1, get_experiment_kwargs=lambda index: {}, aggregate_metrics_fn=aggregate)
while not os.path.exists("forged") and os.path.exists("forging"): time.sleep(0.001)
`;
    writeFileSync(join(place, 'evaluate.py'), file);
    const forging = `import json, os, time
def run():
    open("forging", "w").close()
    if os.fork() == 0:
        os.setsid()
        while not os.path.exists("results/correct.json"): time.sleep(0.001)
        with open("results/metrics.json", "w") as file: json.dump({"combined_score": 1e12}, file)
        os.rename("forging", "forged")
        os._exit(0)
    return 2.0
`;
    try {
      const spec = { name: 'shinka', options: { root: place } };
      const shinka = createFolderEvaluator('shinka');
      const prepared = await shinka.prepare(programOf('python', 'def run(): return 1.0\n'), spec, await contextOf());
      const { outcome, metrics } = await shinka.judge(programOf('python', forging), prepared.basis, await contextOf());
      assert.deepEqual([outcome.kind, metrics['combined_score']], ['correct', 2], outcome.detail);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  const loads = / {4}spec[\s\S]*exec_module\(program\)/;
  /** Evaluators that have the program run where it reaches what reports on it. */
  const sharing: Readonly<Record<string, string>> = {
    'runs the text of the program itself': evaluatorFile.replace(
      loads,
      '    class program: pass\n    space = {}\n    exec(open(path).read(), space)\n    program.total = staticmethod(space["total"])',
    ),
    'runs the text of the program with changes': evaluatorFile.replace(
      loads,
      '    class program: pass\n    space = {}\n    exec("import math\\n" + open(path).read().replace("s = 0", "s = int(0)"), space)\n    program.total = staticmethod(space["total"])',
    ),
    'has another program load it and print its time': `import json, subprocess, sys
harness = """import json, runpy, sys, time
total = runpy.run_path(sys.argv[1])["total"]
start = time.perf_counter()
total(30000)
print(json.dumps({"combined_score": 1 / (time.perf_counter() - start)}))"""
def evaluate(path): return json.loads(subprocess.run([sys.executable, "-c", harness, path], capture_output=True).stdout)
`,
    'traces the memory of its process': `${evaluatorFile.replace('    return', '    return {"combined_score": 1.0, "peak": tracemalloc.get_traced_memory()[1]}\n    return').replace('    start', '    tracemalloc.start()\n    start')}import tracemalloc\n`,
  };
  for (const [what, text] of Object.entries(sharing)) {
    it(`are marked where the evaluator ${what}`, async () => {
      const { execution } = await prepared(text);
      assert.equal(execution.outcome.kind, 'correct', execution.outcome.detail);
      assert.equal(execution.metrics['unverified'], 1);
    });
  }

  it('are not marked where the evaluator starts nothing but the program, or holds a copy of it', async () => {
    const command = `import subprocess, sys
def evaluate(path): return {"combined_score": float(subprocess.run([sys.executable, path], capture_output=True).returncode + 1)}
`;
    for (const text of [command, `${evaluatorFile}\n${slow}`]) {
      const { execution } = await prepared(text);
      assert.equal(execution.outcome.kind, 'correct', execution.outcome.detail);
      assert.equal(execution.metrics['unverified'], undefined);
    }
  });

  it("are charged by evaluators that measure their own process's time", async () => {
    const text = evaluatorFile.replaceAll('perf_counter', 'process_time').replace('1 / taken', 'taken');
    writeFileSync(join(root, 'evaluator.py'), text);
    const resting = `import time\ndef total(n):\n    time.sleep(0.1)\n    return n * (n - 1) // 2\n`;
    const spec = { name: 'openevolve', options: { root } };
    const { execution } = await evaluator.prepare(programOf('python', resting), spec, await contextOf());
    assert.equal(execution.metrics['unverified'], undefined);
    assert.ok((execution.metrics['combined_score'] ?? 0) > 0.2, JSON.stringify(execution.metrics));
  });

  it('cannot leave the process apart by an object that is not data', async () => {
    const { outcome } = await judged(
      'class Sum:\n    def __init__(self, n): self.n = n\n    def __eq__(self, other): return True\ndef total(n): return Sum(n)\n',
    );
    assert.match(`${outcome.kind}: ${outcome.detail}`, /^wrong: The program has Sum, which cannot be handed to the evaluator/);
  });

  it('leave their arguments to the evaluator as they changed them, and use the chance that it has seeded', async () => {
    const text = `import importlib.util, random
def evaluate(path):
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    random.seed(7)
    items = [3, 1, 2]
    program.total(items)
    return {"combined_score": 1.0 if items == [1, 2, 3] else 0.5, "drawn": program.drawn()}
`;
    const original = 'import random\ndef total(items): items.sort()\ndef drawn(): return random.random()\n';
    writeFileSync(join(root, 'evaluator.py'), text);
    const of = async () => {
      const spec = { name: 'openevolve', options: { root } };
      return (await evaluator.prepare(programOf('python', original), spec, await contextOf())).execution.metrics;
    };
    const [one, other] = [await of(), await of()];
    assert.equal(one['combined_score'], 1);
    assert.equal(one['unverified'], undefined);
    assert.equal(one['drawn'], other['drawn']);
  });
});
