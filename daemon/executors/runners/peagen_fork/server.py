"""Forks a process for each use from one that has imported what all of them need.

The server's own sandbox lets it make namespaces. Each use gets processes, /proc, /tmp, /dev/shm and a user of its own, in which
it has no rights, behind the filter of system calls that every sandbox has, and a channel that no other use has. The server talks
with its parent on its standard input (`+` begins a use, `-` ends it, `=` and a number keep it on that processor) and output; neither is
within reach of what it forks, all of which is dead before the server says that the use has `ended`.
"""
import ctypes
import gc
import os
import select
import stat
import sys

from peagen_runner.plain_json import dumps, loads

from .hidden import set_hidden

NEW_MOUNTS, NEW_USER, NEW_PROCESSES = 0x00020000, 0x10000000, 0x20000000
NOSUID, NODEV, NOEXEC, BIND, RECURSIVE, PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
SET_SECCOMP, DROP_BOUNDING, NO_NEW_PRIVILEGES = 22, 24, 38
CAPABILITIES_VERSION = 0x20080522
STDERR_KEPT = 16 * 1024
FILTER = "/tmp/filter.bpf"
MOST_DESCRIPTORS = 256

libc = ctypes.CDLL(None, use_errno=True)


def checked(name, *args):
    if getattr(libc, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (name, os.strerror(number)))


class Server:
    """`limits`: bytes of /tmp and of output of a use. Its channels are the sockets that it is started with, in their order."""

    def __init__(self, limits):
        self.limits = limits
        self.channels = []
        for descriptor in range(3, MOST_DESCRIPTORS):
            try:
                self.channels += [descriptor] if stat.S_ISSOCK(os.fstat(descriptor).st_mode) else []
            except OSError:
                continue
            if descriptor not in self.channels:
                os.close(descriptor)
        # An import that prints must not write to the parent.
        self.inward, self.outward = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        with open(FILTER, "rb") as file:
            self.filter = ctypes.create_string_buffer(file.read())
        self.own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def wait(self):
        """Returns in the process of each use, which has its channel as standard input and output; in the server, never."""
        if self.leaves_traces():
            self.say("unable")
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
        self.say("ready" if os.waitpid(trial, 0)[1] == 0 else "unable")
        for channel in self.channels:
            while self.told() != b"+":
                # An order for a use that had ended by itself.
                pass
            errors, write = os.pipe()
            pid = self.fork()
            if pid == 0:
                return or_end(lambda: self.begin(channel, write))
            os.close(channel)
            os.close(write)
            self.say("ended " + dumps(self.attend(pid, errors)))
        self.told()
        os._exit(0)

    def told(self):
        data = os.read(self.inward, 1)
        if not data:
            os._exit(0)
        return data

    def say(self, line):
        data = line.encode() + b"\n"
        while data:
            data = data[os.write(self.outward, data):]

    def attend(self, pid, errors):
        """Until its namespace is empty; returns how it ended."""
        kept, count = b"", 0
        ended = os.pidfd_open(pid)
        poll = select.poll()
        for descriptor in (ended, errors, self.inward):
            poll.register(descriptor, select.POLLIN)
        os.set_blocking(errors, False)
        over = False
        while not over:
            ready = {descriptor for descriptor, _event in poll.poll()}
            over = ended in ready
            if self.inward in ready and not over:
                self.obey(pid)
            while (over or errors in ready) and count <= self.limits["output"]:
                try:
                    data = os.read(errors, 65536)
                except BlockingIOError:
                    break
                if not data:
                    # Nobody has it any more.
                    if not over:
                        poll.unregister(errors)
                    break
                kept, count = (kept + data)[-STDERR_KEPT:], count + len(data)
            if count > self.limits["output"] and not over:
                os.kill(pid, 9)
                break
        os.close(ended)
        os.close(errors)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        flooded = count > self.limits["output"]
        return {"code": None if flooded else code if code >= 0 else 128 - code, "stderr": kept.decode("utf-8", "replace")}

    def obey(self, pid):
        order = self.told()
        if order == b"-":
            # With it, all that it has started.
            os.kill(pid, 9)
        elif order == b"=":
            confine(pid, int(b"".join(iter(self.told, b"\n"))))
            self.say("kept")

    def leaves_traces(self):
        """Whether an import has made what evaluations would share, or what does not survive a fork."""
        with open("/proc/self/maps") as file:
            shared = any(line.split()[1].endswith("s") and "w" in line.split()[1] for line in file)
        known = {0, 1, 2, self.inward, self.outward, self.own, *self.channels}
        # That of the listing itself is closed again.
        opened = [name for name in os.listdir("/proc/self/fd") if int(name) not in known and os.path.exists("/proc/self/fd/" + name)]
        processes = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
        return shared or opened or processes or len(sys._current_frames()) > 1

    def fork(self):
        """The child is the first of a namespace of processes."""
        checked("setns", self.own, NEW_PROCESSES)
        checked("unshare", NEW_PROCESSES)
        return os.fork()

    def begin(self, channel, errors):
        self.isolate()
        os.dup2(channel, 0)
        os.dup2(channel, 1)
        os.dup2(errors, 2)
        os.closerange(3, MOST_DESCRIPTORS)

    def isolate(self):
        os.setsid()
        # No program here may use what is shared between processes by a number: the filter leaves that out.
        checked("unshare", NEW_MOUNTS)
        checked("mount", None, b"/", None, RECURSIVE | PRIVATE, None)
        checked("mount", b"proc", b"/proc", b"proc", NOSUID | NODEV | NOEXEC, None)
        checked("mount", b"/dev/null", b"/proc/cmdline", None, BIND, None)
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


def serve():
    """Returns in a process for each use, whose program may look at itself; the limits are the last argument."""
    Server(loads(sys.argv.pop())).wait()
    set_hidden(False)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def confine(pid, processor):
    """Keeps a process with its threads on a processor, where the system lets it."""
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            os.sched_setaffinity(int(thread), [processor])
    except OSError:
        # It has ended.
        pass


def or_end(work):
    """A child that fails here must not go on with what is the server's."""
    try:
        return work()
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode())
        os._exit(1)
