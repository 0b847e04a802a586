/**
 * Hostile programs, as data. Each tries one thing and prints `escaped: …` when it worked or `contained: …` with what
 * stopped it; one that never gets to print is contained by its limits. `T` holds what an attacker could know: paths,
 * ports and processes of the trap that the test sets up around the sandbox.
 */
import { accessSync, constants } from 'node:fs';

/** Where groups of processes may be made, the plain tier ends what has shed every other mark. */
const hasGroups =
  process.getuid?.() === 0 &&
  ['cgroup.controllers', 'memory/cgroup.procs'].some((name) => {
    try {
      accessSync(`/sys/fs/cgroup/${name}`, constants.R_OK | constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });

export interface Hostile {
  readonly name: string;
  readonly language: 'python' | 'node';
  readonly code: string;
  /** The plain tier isolates nothing; it must still contain these. Others are not run there: some would hurt the machine. */
  readonly plain?: true;
}

/** Tries each statement; the first that works has escaped. */
const attempts = (...statements: string[]): string =>
  [
    'how = []',
    ...statements.flatMap((statement) => [
      'try:',
      ...statement.split('\n').map((line) => `    ${line}`),
      '    escaped(repr(result))',
      'except Exception as error:',
      '    how.append(type(error).__name__)',
    ]),
    'contained(", ".join(sorted(set(how))))',
  ].join('\n');

const attemptsWith = (setup: string, ...statements: string[]): string => `${setup}\n${attempts(...statements)}`;

const libc =
  'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(number, *args):\n    if libc.syscall(number, *args) < 0: raise OSError(ctypes.get_errno(), "denied")\n    return number\n';

const py = (name: string, code: string, plain = false): Hostile => ({
  name,
  language: 'python',
  code,
  ...(plain ? { plain } : {}),
});
const js = (name: string, code: string, plain = false): Hostile => ({
  name,
  language: 'node',
  code,
  ...(plain ? { plain } : {}),
});

export const hostile: readonly Hostile[] = [
  // Secrets.
  py(
    'reads a key in the home folder',
    attempts('result = open(T["secret"]).read()', 'result = open(os.path.expanduser("~/.ssh/id_rsa")).read()'),
  ),
  py('reads the password file', attempts('result = open("/etc/shadow").read()', 'result = open("/etc/passwd-").read()')),
  py(
    'reads the environment for keys',
    'escaped("key") if T["token"] in str(dict(os.environ)) else contained("clean environment")',
    true,
  ),
  py(
    'reads the environment of every process',
    'found = [p for p in os.listdir("/proc") if p.isdigit() and try_read("/proc/%s/environ" % p, T["token"])]\nescaped(found) if found else contained("own pid namespace")',
  ),
  py(
    'walks through another process to the real root',
    attempts(
      'result = open("/proc/1/root" + T["secret"]).read()',
      'result = open("/proc/%d/root%s" % (T["victim"], T["secret"])).read()',
      'result = open("/proc/self/cwd/../../../.." + T["secret"]).read()',
    ),
  ),
  py('reads the workspace', attempts('result = open(T["workspace"] + "/main.py").read()', 'result = os.listdir(T["workspace"])')),
  js(
    'reads files and keys from Node',
    'attempt(() => fs.readFileSync(T.secret, "utf8")); attempt(() => fs.readdirSync(T.workspace)); attempt(() => { if (!JSON.stringify(process.env).includes(T.token)) throw new Error("clean"); return "key" }); contained();',
  ),
  js(
    'searches /proc from Node',
    'for (const p of fs.readdirSync("/proc")) { try { if (fs.readFileSync("/proc/" + p + "/environ", "utf8").includes(T.token)) escaped(p); } catch (error) { how.add(error.code) } } contained();',
  ),
  py(
    'reads the memory of its parent',
    attempts(
      'result = open("/proc/%d/mem" % os.getppid(), "rb").read(16)',
      'result = open("/proc/%d/mem" % T["victim"], "rb").read(16)',
    ),
  ),
  py(
    'asks whose machine it is',
    [
      'import glob, pwd, re, socket, sys',
      'told = [str(os.uname()), socket.gethostname(), str(dict(os.environ)), str(pwd.getpwall())]',
      'places = ["/proc/cmdline", "/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname"] + glob.glob("/etc/*")',
      'for p in glob.glob("/proc/[0-9]*"):',
      '    places += [p + "/" + name for name in ("cmdline", "environ", "mountinfo", "cgroup", "status", "maps")]',
      '    for link in [p + "/exe", p + "/cwd", p + "/root"] + glob.glob(p + "/fd/*"):',
      '        try: told.append(os.readlink(link))',
      '        except OSError: pass',
      'for place in places:',
      '    try: told.append(open(place, errors="replace").read())',
      '    except OSError: pass',
      'text = "\\n".join(told)',
      '# It has to be where it was installed.',
      'own = {sys.executable, sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))}',
      'for place in sorted(own, key=len, reverse=True): text = text.replace(place, "")',
      'found = [name for name in T["names"] if re.search(r"(?<!\\w)" + re.escape(name) + r"(?!\\w)", text)]',
      'escaped(found) if found else contained("no name in %d places" % len(told))',
    ].join('\n'),
  ),
  py(
    'reads what the machine was started with',
    'text = open("/proc/cmdline").read()\nescaped(text) if text.strip() else contained("an empty file")',
  ),
  js(
    'asks whose machine it is from Node',
    'const os = require("node:os"); const told = [os.hostname(), JSON.stringify(process.env)]; quietly(() => told.push(os.userInfo().username)); for (const p of fs.readdirSync("/proc").filter((n) => /^\\d+$/.test(n))) for (const name of ["cmdline", "environ", "mountinfo", "cgroup"]) quietly(() => told.push(fs.readFileSync("/proc/" + p + "/" + name, "utf8"))); const text = told.join("\\n").replaceAll(T.node, ""); const found = T.names.filter((name) => text.split(/[^\\w.-]/).includes(name) || (name.includes("/") && text.includes(name))); if (found.length > 0) escaped(found); how.add("no name"); contained();',
  ),
  py(
    'looks for descriptors that were left open',
    'left = [os.readlink("/proc/self/fd/%s" % n) for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.lexists("/proc/self/fd/%s" % n)]\nleft = [l for l in left if l != "/dev/null" and "/proc/" not in l]\nescaped(left) if left else contained("all closed")',
    true,
  ),

  // Sockets.
  py(
    'speaks to the Docker socket',
    attemptsWith(
      'import socket',
      's = socket.socket(socket.AF_UNIX); s.connect("/var/run/docker.sock"); result = "docker"',
      's = socket.socket(socket.AF_UNIX); s.connect(T["unix"]); result = "unix"',
    ),
  ),
  js(
    'speaks to a local socket from Node',
    'const net = require("node:net"); net.connect(T.unix).on("connect", () => escaped("unix")).on("error", (error) => { how.add(error.code); contained(); });',
  ),
  py(
    'speaks to an abstract socket',
    attemptsWith('import socket', 's = socket.socket(socket.AF_UNIX); s.connect("\\0" + T["abstract"]); result = "abstract"'),
  ),
  py(
    'connects to a server on this machine',
    attemptsWith(
      'import socket',
      'result = socket.create_connection(("127.0.0.1", T["port"]), 1)',
      'result = socket.create_connection(("::1", T["port"]), 1)',
    ),
  ),
  js(
    'connects to a server on this machine from Node',
    'const net = require("node:net"); net.connect(T.port, "127.0.0.1").on("connect", () => escaped("tcp")).on("error", (error) => { how.add(error.code); contained(); });',
  ),
  py(
    'asks the metadata address',
    attemptsWith('import socket', 's = socket.create_connection(("169.254.169.254", 80), 1); result = s'),
  ),
  py(
    'sends a datagram and asks for a name',
    attemptsWith(
      'import socket',
      's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", T["udp"])); result = "udp"',
      'result = socket.getaddrinfo("example.com", 80)',
    ),
  ),
  js(
    'fetches a page',
    'fetch("http://127.0.0.1:" + T.port).then(() => escaped("fetch"), (error) => { how.add(error.cause?.code ?? error.message); contained(); });',
  ),
  py(
    'opens raw, packet and netlink sockets',
    attemptsWith(
      'import socket',
      'result = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)',
      'result = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)',
      'result = socket.socket(16, socket.SOCK_RAW, 0)',
    ),
  ),

  // Writing elsewhere.
  py(
    'writes outside of its folder',
    attempts(
      ...['/usr/evil', '/etc/evil', '/evil', '/proc/sys/kernel/hostname', '/sys/kernel/uevent_helper', '/mounted/runner.py'].map(
        (path) => `open(${JSON.stringify(path)}, "w").write("x"); result = ${JSON.stringify(path)}`,
      ),
      'open(T["workspace"] + "/evil", "w"); result = "workspace"',
    ),
  ),
  js(
    'writes outside of its folder from Node',
    '["/usr/evil", "/evil", "/mounted/runner.py", T.workspace + "/evil"].forEach((path) => attempt(() => { fs.writeFileSync(path, "x"); return path; })); contained();',
  ),
  py(
    'plants and follows links',
    attempts(
      'os.symlink(T["secret"], "link"); result = open("link").read()',
      'os.link(T["secret"], "hard"); result = open("hard").read()',
      'os.symlink("/", "root"); result = open("root" + T["secret"]).read()',
    ),
  ),
  js(
    'follows links from Node',
    'attempt(() => { fs.symlinkSync(T.secret, "link2"); return fs.readFileSync("link2"); }); attempt(() => { fs.linkSync(T.secret, "hard2"); return "hard"; }); contained();',
  ),
  py(
    'replaces a program that others run',
    attempts(
      'os.rename("/usr/bin/true", "/usr/bin/true2"); result = 1',
      'os.chmod("/usr/bin/true", 0o777); result = 1',
      'os.remove("/usr/bin/prlimit"); result = 1',
    ),
  ),

  // Exhaustion.
  py('forks without end', 'while True:\n    try: os.fork()\n    except OSError: pass'),
  js(
    'starts processes without end',
    'const { spawn } = require("node:child_process"); setInterval(() => { for (let i = 0; i < 50; i++) spawn("/usr/bin/sleep", ["100"], { detached: true, stdio: "ignore" }).on("error", () => {}); }, 1);',
  ),
  py(
    'starts threads without end',
    'import threading, time\nwhile True:\n    try: threading.Thread(target=time.sleep, args=(100,)).start()\n    except RuntimeError: time.sleep(0.01)',
  ),
  js(
    'starts worker threads without end',
    'const { Worker } = require("node:worker_threads"); setInterval(() => new Worker("for(;;);", { eval: true }).on("error", () => {}), 1);',
  ),
  py('takes all memory', 'kept = []\nwhile True: kept.append(bytearray(1 << 22))', true),
  py(
    'takes all memory with many children',
    'import time\nfor _ in range(40):\n    if os.fork() == 0:\n        kept = [bytearray(os.urandom(1 << 20)) for _ in range(100)]\n        time.sleep(100)\ntime.sleep(100)',
  ),
  js('takes all memory outside of the heap', 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 22, 1));', true),
  py(
    'fills the disk with one file',
    'with open("big", "wb") as f:\n    try:\n        for _ in range(4096): f.write(b"x" * (1 << 20)); f.flush()\n        escaped("4 GB")\n    except OSError as error: contained(error.strerror)',
  ),
  py(
    'fills the disk with many files',
    'written = 0\ntry:\n    for n in range(1000):\n        with open("big%d" % n, "wb") as f: written += f.write(b"x" * (1 << 20))\n    escaped(written)\nexcept OSError as error: contained(error.strerror)',
  ),
  py('makes a file of ten terabytes', attempts('f = open("sparse", "wb"); f.truncate(10 << 40); result = "sparse"'), true),
  py(
    'fills shared memory',
    'try:\n    with open("/dev/shm/x", "wb") as f:\n        for _ in range(2048): f.write(b"x" * (1 << 20))\n    escaped("2 GB")\nexcept OSError as error: contained(error.strerror)',
  ),
  py('prints ten gigabytes', 'while True: os.write(1, b"x" * 65536)', true),
  js('prints errors without end', 'for (;;) fs.writeSync(2, "x".repeat(65536));', true),
  py(
    'recurses until the stack is gone',
    'import sys\nsys.setrecursionlimit(1 << 30)\nf = lambda n: f(n + 1)\nclass A:\n    def __getattr__(self, name): return getattr(self, name)\nA().x',
    true,
  ),
  js(
    'recurses until the stack is gone in Node',
    'const f = () => f() + 1; try { f(); } catch (error) { how.add(error.name); contained(); }',
    true,
  ),
  py(
    'raises its own limits',
    attemptsWith(
      'import resource',
      'resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2); result = "memory"',
      'resource.setrlimit(resource.RLIMIT_NPROC, (100000, 100000)); result = "processes"',
    ),
  ),
  py(
    'never gives the processor back',
    'import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass',
    true,
  ),

  // Other processes and the kernel.
  py(
    'kills everybody it can reach',
    'import signal\n' +
      attempts(
        'os.kill(T["victim"], signal.SIGKILL); result = "victim"',
        'os.kill(T["parent"], signal.SIGSTOP); result = "parent"',
      ),
  ),
  js('kills a process from Node', 'attempt(() => { process.kill(T.victim, "SIGKILL"); return "victim"; }); contained();'),
  py(
    'traces another process',
    attemptsWith(
      libc,
      'result = call(101, 16, T["victim"], 0, 0)',
      'result = call(101, 16, os.getppid(), 0, 0)',
      'result = call(310, T["victim"], 0, 0, 0, 0, 0)',
    ),
  ),
  py(
    'becomes root',
    attempts(
      'os.setuid(0); result = os.getuid()',
      'os.setgid(0); os.setgroups([0]); result = "groups"',
      'import subprocess; result = subprocess.run(["su", "-c", "id"], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout',
    ),
  ),
  py(
    'mounts',
    attemptsWith(
      libc,
      'result = call(165, b"none", b"/tmp", b"tmpfs", 0, 0)',
      'result = call(428, -100, b"/", 1)',
      'result = call(430, b"proc", 0)',
    ),
  ),
  py(
    'opens new namespaces',
    attemptsWith(
      libc,
      'result = call(272, 0x10000000)',
      'result = call(272, 0x00020000)',
      'result = call(56, 0x10000011, 0, 0, 0, 0)',
      'import subprocess; result = subprocess.run(["unshare", "-Ur", "id"], capture_output=True, check=True).stdout',
    ),
  ),
  py(
    'changes its root',
    attempts(
      'os.mkdir("jail"); os.chroot("jail"); result = "chroot"',
      'os.mknod("disk", 0o60600, os.makedev(8, 0)); result = open("disk", "rb").read(1)',
    ),
  ),
  py(
    'uses large kernel interfaces',
    attemptsWith(
      libc,
      'result = call(425, 8, ctypes.create_string_buffer(256))',
      'result = call(321, 0, ctypes.create_string_buffer(128), 128)',
      'result = call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)',
      'result = call(250, 1, b"x")',
      'result = call(323, 1)',
    ),
  ),
  py(
    'sets the clock and the host name',
    attemptsWith(
      libc,
      'import time; time.clock_settime(0, 0); result = "clock"',
      'import socket; socket.sethostname("evil"); result = "name"',
      'result = call(169, 0xfee1dead, 672274793, 0, 0)',
    ),
  ),
  py(
    'types into the terminal that started us',
    attemptsWith(
      'import fcntl',
      '[fcntl.ioctl(0, 0x5412, c) for c in b"id"]; result = "typed"',
      'result = open("/dev/tty", "w")',
    ),
  ),
  py(
    'loads a module, reads the kernel log, asks sysrq',
    attemptsWith(
      libc,
      'result = call(313, 0, b"", 0)',
      'result = call(103, 3, ctypes.create_string_buffer(64), 64)',
      'open("/proc/sysrq-trigger", "w").write("c"); result = "sysrq"',
    ),
  ),

  // Outliving the time-out. The sign is what the test looks for among all processes afterwards.
  py(
    'survives through a double fork and a session of its own',
    'import signal\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.closerange(0, 64)\n        for s in (1, 2, 15, 24): signal.signal(s, signal.SIG_IGN)\n        os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", T["sign"]])\n    os._exit(0)\nimport time\ntime.sleep(600)',
    true,
  ),
  py(
    'survives without an environment',
    'if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.closerange(0, 64)\n        os.chdir("/")\n        os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", T["sign"]], {})\n    os._exit(0)\nos.wait()\ncontained("ended")',
    true,
  ),
  py(
    'survives without an environment and with limits of its own',
    'import resource\nif os.fork() == 0:\n    os.setsid()\n    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n    if os.fork() == 0:\n        os.closerange(0, 64)\n        os.chdir("/")\n        os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", T["sign"]], {})\n    os._exit(0)\nos.wait()\ncontained("ended")',
    hasGroups,
  ),
  js(
    'survives through a detached child',
    'require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 600000)", T.sign], { detached: true, stdio: "ignore" }).unref(); setTimeout(() => {}, 600000);',
    true,
  ),
  py(
    'stays behind when it ends itself',
    'if os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 64)\n    os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", T["sign"]])\ncontained("ended")',
    true,
  ),
];

export const prelude = {
  python: [
    'import json, os, sys',
    'T = json.load(open("targets.json"))',
    'def escaped(what):\n    print("escaped:", str(what)[:100], flush=True); os._exit(9)',
    'def contained(how):\n    print("contained:", how, flush=True); os._exit(0)',
    'def try_read(path, word):\n    try: return word in open(path, errors="replace").read()\n    except OSError: return False',
  ].join('\n'),
  node: [
    'const fs = require("node:fs"); const T = JSON.parse(fs.readFileSync("targets.json", "utf8")); const how = new Set();',
    'const escaped = (what) => { fs.writeSync(1, "escaped: " + String(what).slice(0, 100) + "\\n"); process.exit(9); };',
    'const contained = () => { fs.writeSync(1, "contained: " + [...how].join(", ") + "\\n"); process.exit(0); };',
    'const quietly = (work) => { try { work(); } catch {} };',
    'const attempt = (work) => { let result; try { result = work(); } catch (error) { how.add(error.code ?? error.message); return; } escaped(result); };',
  ].join('\n'),
} as const;
