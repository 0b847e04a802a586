"""The side of the evaluator: importing the program's file gives a module whose functions are called in another process."""
import _socket
import _thread
import builtins
import os
import sys
import time

from peagen_runner.plain_json import dumps, loads

from .data import Opaque, packed, unpacked
from .late import late
from .serve import start


clock = time.perf_counter_ns
# Each starts another program, with its words as the argument of that number.
STARTS = {"subprocess.Popen": 1, "os.system": 0, "os.posix_spawn": 1}
# Loaded where interpreters are started that load the program once more.
STARTERS = ("multiprocessing.popen_spawn_posix", "multiprocessing.popen_forkserver")


class Apart:
    """`most`: how many times the evaluator loads the program, where that is known; `loaded`: how many times it has.

    `folder`: every file in it is the program's. `together`: why the program cannot be kept apart, once that is known.
    `started`: the evaluator has started a process that may run the program together with code that reports for it.
    `waited`: the nanoseconds in which the program worked.
    """

    def __init__(self, most):
        self.most = most
        self.loaded = 0
        self.loads = None if most == 0 else start(most)
        self.together = None
        self.started = False
        self.folder = None
        self.waited = 0

    def install(self, program, evaluator):
        self.folder = os.path.dirname(os.path.realpath(program)) + os.sep
        own = os.path.dirname(evaluator) + os.sep
        with open(program, encoding="utf-8", errors="replace") as file:
            lines = lines_of(file.read())
        count_waiting(self)
        Loader = late("importlib.machinery").SourceFileLoader
        usual, apart = Loader.exec_module, self

        def exec_module(loader, module):
            if not os.path.realpath(loader.path).startswith(apart.folder):
                return usual(loader, module)
            module.__class__ = Module
            Link(apart).fill(module, loader.path)

        Loader.exec_module = exec_module

        def heard(event, args):
            if event in STARTS and not apart.is_program(args[STARTS[event]]):
                apart.started = True
            # An evaluator's own files may hold what it compares with.
            if event != "compile" or apart.together is not None or str(args[1]).startswith(own):
                return
            source = args[0]
            if isinstance(source, bytes):
                source = source.decode("utf-8", "replace")
            # It may leave parts of the text out, or change them.
            if isinstance(source, str) and len(lines & lines_of(source)) * 2 > len(lines):
                apart.together = "The evaluator runs the program's text in its own process."

        sys.addaudithook(heard)

    @property
    def doubted(self):
        return self.started or any(name in sys.modules for name in STARTERS)

    def is_program(self, words):
        """Whether they start an interpreter with a file of the program's as its script: nothing else is in that process then."""
        if isinstance(words, (str, bytes)):
            return False
        script = next((word for word in map(os.fsdecode, words[1:]) if not word.startswith("-") or word in ("-c", "-m")), "")
        return os.path.realpath(script).startswith(self.folder)

    @property
    def too_often(self):
        return self.most is not None and self.loaded > self.most

    def load(self):
        """A socket for what is asked of a new copy."""
        self.loaded += 1
        if self.too_often:
            raise Opaque("a copy more than is known of")
        ours, theirs = _socket.socketpair()
        rights = theirs.fileno().to_bytes(4, sys.byteorder)
        self.loads.sendmsg([b"x"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        theirs.close()
        return ours

    def cannot(self, why):
        self.together = self.together or why
        raise Opaque(why)


class Module(type(sys)):
    def __getattr__(self, name):
        link = self.__dict__.get("__link__")
        if link is None or (name.startswith("__") and name.endswith("__")):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        return link.get(name)

    def __setattr__(self, name, value):
        link = self.__dict__.get("__link__")
        if link is not None and not (name.startswith("__") and name.endswith("__")):
            link.apart.cannot("The evaluator sets %s in the program." % name)
        super().__setattr__(name, value)


class Link:
    """One loaded copy of the program."""

    def __init__(self, apart):
        self.apart = apart
        self.lock = _thread.RLock()
        self.made = 0
        ours = apart.load()
        self.calls = open(os.dup(ours.fileno()), "w", encoding="utf-8")
        self.replies = open(ours.detach(), "r", encoding="utf-8")

    def ask(self, order):
        with self.lock:
            begun = clock()
            self.made += 1
            order["id"] = self.made
            try:
                self.calls.write(dumps(order) + "\n")
                self.calls.flush()
                # A call that a signal broke off has left its reply behind.
                while True:
                    line = self.replies.readline()
                    answer = loads(line) if line else None
                    if answer is None or answer["id"] == order["id"]:
                        break
            except BrokenPipeError:
                answer = None
            finally:
                self.apart.waited += clock() - begun
        if answer is None:
            raise RuntimeError("the program ended its process")
        if "opaque" in answer:
            self.apart.cannot("The program has %s, which cannot be handed to the evaluator as data." % answer["opaque"])
        if "raised" in answer:
            raise_again(answer["raised"])
        return answer

    def fill(self, module, file):
        names = self.ask({"op": "load", "name": module.__name__, "file": file, "path": sys.path})["names"]
        for name, told in names.items():
            if "opaque" not in told:
                module.__dict__[name] = self.member(name, told)
        module.__dict__["__link__"] = self

    def get(self, name):
        return self.member(name, self.ask({"op": "get", "name": name}))

    def member(self, name, told):
        if "function" not in told:
            return unpacked(told["value"])

        def function(*args, **kwargs):
            return self.call(name, args, kwargs)

        function.__name__ = function.__qualname__ = told["function"]
        function.__doc__ = told["doc"]
        return function

    def call(self, name, args, kwargs):
        if sys.gettrace() or sys.getprofile() or is_tracing_memory():
            self.apart.cannot("The evaluator traces what is done in its own process.")
        try:
            order = {"op": "call", "name": name, "args": [packed(value) for value in args], "kwargs": packed(kwargs)}
        except Opaque as error:
            self.apart.cannot("The evaluator hands %s to the program, which is not data." % error)
        answer = self.ask({**order, "seeds": seeds()})
        for index, value in answer["left"]:
            restore(args[index], unpacked(value))
        return unpacked(answer["value"])


def lines_of(text):
    return {line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")}


def is_tracing_memory():
    tracer = sys.modules.get("_tracemalloc")
    return tracer is not None and tracer.is_tracing()


def count_waiting(apart):
    """Lets the clocks of this process's processor time go on while the program works, which is in no reach of the program."""

    def longer(real, factor):
        return lambda: real() + factor(apart.waited)

    for name in ("process_time", "thread_time"):
        setattr(time, name, longer(getattr(time, name), lambda ns: ns / 1e9))
        setattr(time, name + "_ns", longer(getattr(time, name + "_ns"), lambda ns: ns))


def restore(value, left):
    """What the call has left in its argument."""
    if isinstance(value, list):
        value[:] = left
    elif isinstance(value, (dict, set)):
        value.clear()
        value.update(left)
    else:
        value[...] = left


def seeds():
    """Numbers that follow from the states of the generators here."""
    random, numpy = sys.modules.get("random"), sys.modules.get("numpy.random")
    state = numpy.get_state() if numpy is not None else None
    return {
        # An evaluator without chance has not seeded any.
        "random": None if random is None else number(repr(random.getstate()).encode()),
        "numpy": None if state is None else number(state[1].tobytes() + repr(state[2:]).encode()),
    }


def number(data):
    return int.from_bytes(late("hashlib").sha256(data).digest()[:4], "big")


def raise_again(told):
    """The same exception here, with the frames that it had there."""
    kind = getattr(builtins, told["type"], None)
    error = None
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            error = kind(*[tuple(value) if isinstance(value, list) else value for value in told["args"]])
        except Exception:
            pass
    if error is None:
        error = RuntimeError("%s: %s" % (told["type"], told["text"]))
    trace = None
    for file, line, name in reversed(told["frames"]):
        # Without an instruction, the line counts.
        trace = late("types").TracebackType(trace, frame_of(file, name), -1, line)
    raise error.with_traceback(trace)


def frame_of(file, name):
    """A frame with this name and file, as tracebacks need one."""
    code = compile("raise LookupError", file, "exec").replace(co_name=name)
    try:
        exec(code, {})
    except LookupError as error:
        return error.__traceback__.tb_next.tb_frame
