"""Runs an original on many calls: what each came to, which lines ran, and which small mutants behave differently.

Unlike runner.py it compares nothing and times nothing exactly: what it reports only steers which calls are chosen.
"""
import _signal
import _thread
import os
import sys
import time

from .calls import Raised, called, random_seed, target_of
from .channel import take_channel
from .plain_json import dumps as json_dumps
from .plain_json import loads as json_loads
from .program import WORK, Program
from .values import Before, canonical, packed, unpacked, untagged

NOTES = {
    "socket.connect": "opens a network connection",
    "socket.bind": "opens a network port",
    "socket.getaddrinfo": "opens a network connection",
    "subprocess.Popen": "starts a process",
    "os.fork": "starts a process",
    "os.system": "starts a process",
}
PLAIN = (bool, int, float, str, bytes, type(None), list, tuple, dict, set, frozenset)
LARGE_STATE = 2000
MOST_LEAVES = 6
LONGEST_LEAF = 40


class Cut(BaseException):
    """A call took more steps or more processor time than it may."""


def cut(*_):
    raise Cut()


def cpu_timer():
    if not hasattr(_signal, "setitimer"):
        return lambda ms: None
    timer, profile = _signal.setitimer, _signal.ITIMER_PROF
    _signal.signal(_signal.SIGPROF, cut)
    # Again and again: what is raised in a destructor or a callback of C is lost.
    return lambda ms: timer(profile, ms / 1000, 0.05 if ms else 0)


class Printed:
    encoding, errors = "utf-8", "strict"

    def __init__(self):
        self.parts = []

    def write(self, text):
        self.parts.append(text)
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


# A line has a number of this many bits in a step.
LINE_BITS = 20


class Tracer:
    """Steps between lines of the program's own files; each pair of lines in a row has a number.

    `counts`: for each code, by its identity as hashing one takes long, it and how often its steps were made: the line before,
    shifted by LINE_BITS, and the line.
    """

    def __init__(self):
        self.codes = {}
        self.numbers = {}
        self.counts = {}
        self.limit, self.left = 0, [0]

    def begin(self, limit):
        self.counts, self.limit, self.left = {}, limit, [limit]
        sys.settrace(self.enter)

    def end(self):
        """The numbers of all steps, each with a rough count."""
        sys.settrace(None)
        numbers, found = self.numbers, []
        for code, counts in self.counts.values():
            number = self.codes.setdefault(code, len(self.codes))
            for step, count in counts.items():
                for times in (1, 2, 3)[: min(count, 3)]:
                    found.append(numbers.setdefault((number, step, times), len(numbers)))
        return found

    @property
    def steps(self):
        return self.limit - self.left[0]

    def lines(self):
        """Each code that ran with its lines and how often they did."""
        for code, counts in self.counts.values():
            for step, count in counts.items():
                yield code, step & ((1 << LINE_BITS) - 1), count

    def enter(self, frame, _event, _arg):
        code = frame.f_code
        known = self.counts.get(id(code))
        if known is None:
            if not code.co_filename.startswith(WORK):
                return None
            known = self.counts[id(code)] = (code, {})
        counts, left, last = known[1], self.left, 0

        def step(frame, event, _arg):
            nonlocal last
            if event == "line":
                line = frame.f_lineno
                where = last << LINE_BITS | line
                last = line
                counts[where] = counts.get(where, 0) + 1
                left[0] -= 1
                if left[0] < 0:
                    sys.settrace(None)
                    raise Cut()
            return step

        return step


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if type(constant) is type(code):
            yield from codes_in(constant)


def lines_of(codes):
    """Lines that can run, without those of `def` and of a docstring."""
    return sorted({line for code in codes for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno})


def globals_of(module):
    """Names of data that calls may change, where it is small enough to be looked at after each call."""
    names = []
    for name, value in vars(module).items():
        if name.startswith("__") or not isinstance(value, PLAIN):
            continue
        try:
            if len(value) > LARGE_STATE:
                continue
        except TypeError:
            pass
        names.append(name)
    return names


def leaves_of(result):
    """Short texts and whole numbers in a result, the first few: what a call gives may be what the next one is given."""
    found, waiting = [], [result]
    for value in waiting:
        if type(value) is str and 0 < len(value) <= LONGEST_LEAF or type(value) is int and abs(value) < 2**31:
            found.append(value)
        elif type(value) in (list, tuple):
            waiting.extend(value[:MOST_LEAVES])
        elif type(value) is dict:
            # Keys are often names of fields, which say less.
            some = list(value.items())[:MOST_LEAVES]
            waiting.extend([part for _, part in some] + [key for key, _ in some])
        if len(found) == MOST_LEAVES or len(waiting) > 100:
            break
    return found


class Survey:
    def __init__(self, order):
        self.program = Program(order, cut)
        self.program.made = self.made
        self.program.fresh()
        self.tracer = Tracer()
        self.timer = cpu_timer()
        self.notes = set()
        self.names = globals_of(self.program.module)
        parts = order["lines"]
        inside = [
            code
            for code in codes_in(self.program.code)
            if code.co_name != "<module>" and any(first <= code.co_firstlineno <= last for first, last in parts)
        ]
        self.inside = set(inside)
        self.lines = lines_of(inside)

    def made(self, instance):
        self.instance = instance

    def call(self, order, cpu_ms, steps=None):
        program, earlier, raising = self.program, [], []

        def note(result):
            raising.append(type(result.error).__name__ if isinstance(result, Raised) else "")
            earlier.append(json_dumps(raising[-1] if raising[-1] else canonical(result)))

        data = packed(untagged(order))
        target, arguments = target_of(program, order, note), unpacked(data)
        self.instance = getattr(target, "__self__", None)
        before = Before(data, arguments)
        seed, printed = random_seed(), Printed()
        if seed is not None:
            seed(0)
        out, err = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = printed
        answer = {}
        start = time.process_time()
        try:
            self.timer(cpu_ms)
            if steps is not None:
                self.tracer.begin(steps)
            try:
                began = time.perf_counter()
                result, awaited = called(target, arguments)
            finally:
                answer["wall"] = (time.perf_counter() - began) * 1000
                if steps is not None:
                    sys.settrace(None)
                self.timer(0)
        except Cut:
            self.timer(0)
            return {"cut": 1}
        except MemoryError:
            return {"cut": 1}
        except BaseException as error:
            result, awaited = Raised(error), False
        finally:
            sys.stdout, sys.stderr = out, err
        answer["ms"] = (time.process_time() - start) * 1000
        if steps is not None:
            answer["features"] = self.tracer.end()
            answer["lines"] = sorted({line for code, line, _ in self.tracer.lines() if code in self.inside})
            answer["steps"] = self.tracer.steps
            answer["gave"] = leaves_of(result)
        answer["hash"] = self.fingerprint(result, awaited, arguments, before, printed, earlier)
        if raising:
            answer["earlier"] = raising
        if isinstance(result, Raised):
            answer.update(self.raised(result.error))
        return answer

    def raised(self, error):
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.program.entry:
                line = trace.tb_lineno
            trace = trace.tb_next
        return {"raised": type(error).__name__, "line": line, "text": str(error)[:200]}

    def fingerprint(self, result, awaited, arguments, before, printed, earlier):
        """A number in which calls that do different things differ."""
        what = ["raised", type(result.error).__name__, canonical(result.before)] if isinstance(result, Raised) else canonical(result)
        state = self.instance
        held = None if state is None or isinstance(state, type(sys)) else canonical(getattr(state, "__dict__", None))
        module = self.program.module
        names = [[name, canonical(getattr(module, name, None))] for name in self.names]
        seen = [what, awaited, before.changed(arguments), "".join(printed.parts), held, names, earlier]
        return hash(json_dumps(seen)) & 0x1FFFFFFFFFFFFF

    def safely(self, order, cpu_ms, steps=None):
        try:
            return self.call(order, cpu_ms, steps)
        except Exception as error:
            # Its arguments cannot be made, or its result cannot be written.
            return {"failed": ("%s: %s" % (type(error).__name__, error))[:200]}

    def run(self, order):
        self.program.fresh()
        return {"results": [self.safely(call, order["most_ms"], order.get("steps")) for call in order["calls"]], "notes": sorted(self.notes)}

    def lines_run(self, order):
        """How often each line of the program's files ran in all calls; a call that takes too long counts as far as it came."""
        self.program.fresh()
        times = {}
        for call in order["calls"]:
            self.safely(call, order["most_ms"], order["steps"])
            for code, line, count in self.tracer.lines():
                where = (code.co_filename, line)
                times[where] = times.get(where, 0) + count
        return {"lines": [[file[len(WORK) + 1 :], line, count] for (file, line), count in times.items()]}

    def mutants(self, order):
        program = self.program
        own, calls, told = program.code, order["calls"], []
        program.fresh()
        wanted = [self.safely(call, order["most_ms"]).get("hash") for call in calls]
        for text in order["texts"]:
            found = []
            try:
                self.timer(1000)
                program.code = compile(text, program.entry, "exec", dont_inherit=True)
                program.fresh()
                self.timer(0)
                for index, call in enumerate(calls):
                    answer = self.safely(call, order["most_ms"])
                    if answer.get("hash") != wanted[index]:
                        found.append(index)
                        if "cut" in answer:
                            break
                        if len(found) >= order["most"]:
                            break
            except BaseException:
                self.timer(0)
                # It does not load, so that every call would tell it.
                found = None
            told.append(found)
        program.code = own
        return {"told": told}


def watch_threads(notes):
    """Threads have no audit event before Python 3.12."""
    start = _thread.start_new_thread

    def noted(*args, **kwargs):
        notes.add("starts a thread")
        return start(*args, **kwargs)

    _thread.start_new_thread = _thread.start_new = noted


def main():
    receive, send = take_channel()
    survey, notes = None, set()
    sys.addaudithook(lambda event, _arguments: notes.add(NOTES[event]) if event in NOTES else None)
    watch_threads(notes)
    send({"ready": 1})
    while True:
        line = receive()
        if not line:
            os._exit(0)
        order = json_loads(line.decode())
        try:
            if order["op"] == "load":
                survey = Survey(order)
                survey.notes = notes
                answer = {"lines": survey.lines}
            else:
                answer = getattr(survey, order["op"])(order)
        except BaseException as error:
            answer = {"error": ("%s: %s" % (type(error).__name__, error))[:2000]}
        answer["id"] = order["id"]
        send(answer)
