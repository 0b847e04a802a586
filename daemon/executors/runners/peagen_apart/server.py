"""Forks a process for each evaluation from one that has imported what the evaluator imports first.

The server's own sandbox lets it make namespaces. Each evaluation gets processes, /proc, /tmp, /dev/shm and a user of its own,
in which it has no rights, behind the filter of system calls that every sandbox has. Nothing of an evaluation passes through the
server: the process of the evaluation reads and writes the channel itself, and is dead with all its processes before the server
says `next`.
"""
import ctypes
import gc
import os
import select
import sys

from peagen_runner.plain_json import dumps, loads

from .hidden import set_hidden

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES = 0x00020000, 0x08000000, 0x10000000, 0x20000000
NOSUID, NODEV, NOEXEC, RECURSIVE, PRIVATE = 2, 4, 8, 0x4000, 0x40000
SET_SECCOMP, DROP_BOUNDING, NO_NEW_PRIVILEGES = 22, 24, 38
CAPABILITIES_VERSION = 0x20080522
STDERR_KEPT = 16 * 1024
FILTER = "/tmp/filter.bpf"

libc = ctypes.CDLL(None, use_errno=True)


def checked(name, *args):
    if getattr(libc, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (name, os.strerror(number)))


class Server:
    """`outward`: the descriptor of the result channel. `limits`: bytes of /tmp and of output of an evaluation."""

    def __init__(self, outward, limits):
        self.outward = outward
        self.limits = limits
        with open(FILTER, "rb") as file:
            self.filter = ctypes.create_string_buffer(file.read())
        self.own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def wait(self):
        """Returns in the process of each evaluation, with its order; in the server, never."""
        if self.leaves_traces():
            os.write(self.outward, b"unable\n")
            os._exit(0)
        set_hidden(True)
        os.chdir("/")
        gc.collect()
        # What is there now stays, so that no collection of a child copies it.
        gc.freeze()
        trial = self.fork()
        if trial == 0:
            or_end(self.isolate)
            os._exit(0)
        said = "ready" if os.waitpid(trial, 0)[1] == 0 else "unable"
        poll = select.poll()
        poll.register(0, select.POLLIN)
        while True:
            os.write(self.outward, said.encode() + b"\n")
            if poll.poll()[0][1] != select.POLLIN:
                os._exit(0)
            pid = self.fork()
            if pid == 0:
                return self.begin()
            # Its namespace is empty when it has ended.
            os.waitpid(pid, 0)
            said = "next"

    def leaves_traces(self):
        """Whether an import has made what evaluations would share, or what does not survive a fork."""
        with open("/proc/self/maps") as file:
            shared = any(line.split()[1].endswith("s") and "w" in line.split()[1] for line in file)
        known = {0, 1, 2, self.outward, self.own}
        # That of the listing itself is closed again.
        opened = [name for name in os.listdir("/proc/self/fd") if int(name) not in known and os.path.exists("/proc/self/fd/" + name)]
        processes = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
        return shared or opened or processes or len(sys._current_frames()) > 1

    def fork(self):
        """The child is the first of a namespace of processes."""
        checked("setns", self.own, NEW_PROCESSES)
        checked("unshare", NEW_PROCESSES)
        return os.fork()

    def begin(self):
        or_end(self.isolate)
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            os.dup2(write, 2)
            os.dup2(write, 1)
            os.close(write)
            return or_end(order)
        os.close(write)
        or_end(lambda: self.watch(pid, read))

    def watch(self, pid, errors):
        """Waits for the evaluation and reports its end; what it leaves running ends with this process."""
        kept, count = b"", 0
        ended = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(errors, select.POLLIN)
        poll.register(ended, select.POLLIN)
        os.set_blocking(errors, False)
        over = False
        while not over:
            over = any(descriptor == ended for descriptor, _event in poll.poll())
            while count <= self.limits["output"]:
                try:
                    data = os.read(errors, 65536)
                except BlockingIOError:
                    break
                if not data:
                    poll.unregister(errors) if not over else None
                    break
                kept, count = (kept + data)[-STDERR_KEPT:], count + len(data)
            over = over or count > self.limits["output"]
        flooded = count > self.limits["output"]
        status = None if flooded else os.waitpid(pid, 0)[1]
        end = {
            "code": None if status is None else os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status),
            "stderr": kept.decode("utf-8", "replace"),
        }
        data = b"ended " + dumps(end).encode() + b"\n"
        while data:
            data = data[os.write(self.outward, data):]
        os._exit(0)

    def isolate(self):
        os.setsid()
        checked("unshare", NEW_MOUNTS | NEW_IPC)
        checked("mount", None, b"/", None, RECURSIVE | PRIVATE, None)
        checked("mount", b"proc", b"/proc", b"proc", NOSUID | NODEV | NOEXEC, None)
        checked("mount", b"tmpfs", b"/tmp", b"tmpfs", NOSUID | NODEV, b"mode=0755,size=%d" % self.limits["tmp"])
        checked("mount", b"tmpfs", b"/dev/shm", b"tmpfs", NOSUID | NODEV, b"mode=0755,size=1048576")
        os.chdir("/tmp")
        os.close(self.own)
        user, group = os.getuid(), os.getgid()
        checked("unshare", NEW_USER)
        # Its own entries in /proc belong to it only while it can be looked at; nothing else is in its namespace yet.
        set_hidden(False)
        for name, text in (("setgroups", "deny"), ("uid_map", "65534 %d 1" % user), ("gid_map", "65534 %d 1" % group)):
            with open("/proc/self/" + name, "w") as file:
                file.write(text)
        for capability in range(64):
            if libc.prctl(DROP_BOUNDING, capability, 0, 0, 0) != 0:
                break
        checked("capset", ctypes.byref((ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)), ctypes.byref((ctypes.c_uint32 * 6)()))
        checked("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        program = Filter((len(self.filter) - 1) // 8, ctypes.addressof(self.filter))
        checked("prctl", SET_SECCOMP, 2, ctypes.byref(program), 0, 0)
        set_hidden(True)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def or_end(work):
    """A child that fails here must not go on with what is the server's."""
    try:
        return work()
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode())
        os._exit(1)


def order():
    """Reads the order of this evaluation, and no more, and makes its files."""
    wanted = loads(exactly(int(exactly(13))).decode())
    for file in wanted.pop("files"):
        os.makedirs(os.path.dirname(file["path"]), exist_ok=True)
        with open(file["path"], "w", encoding="utf-8", newline="") as out:
            out.write(file["text"])
    if "seed" in wanted:
        os.environ["PEAGEN_SEED"] = str(wanted["seed"])
    elif "numpy" in sys.modules:
        # The generator of random seeds itself after a fork, this one does not.
        sys.modules["numpy"].random.seed()
    return wanted


def exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            os._exit(1)
        data += more
    return data
