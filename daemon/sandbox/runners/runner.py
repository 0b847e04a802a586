"""Runs one candidate in Python: waits warm for its orders, one JSON object a line, and answers each with one line.

It is started inside a sandbox and used once. What it reports about correctness is compared outside, and what it
claims about time is checked against what its parent sees, because the candidate shares this interpreter.
"""
import json
import marshal
import os
import sys
import time
import types

WORK = os.getcwd()


def main():
    receive, send = take_channel()
    # Bound before the candidate exists: replacing them in their modules changes nothing here.
    clock, cpu_clock, loads, dumps = time.perf_counter_ns, time.process_time_ns, marshal.loads, marshal.dumps
    to_json, from_json, exit_now, error_text = json.dumps, json.loads, os._exit, describe_error
    next_cpu, waited = cpu_rotation(), waiting_clock()
    program = None
    batch = []
    finished = []
    send({"ready": 1})
    while True:
        line = receive()
        if not line:
            exit_now(0)
        order = from_json(line)
        op = order["op"]
        answer = {}
        try:
            if op == "load":
                program = Program(order, lambda: (send({"cut": 1}), exit_now(0)))
                program.fresh()
            elif op == "settle":
                settle()
            elif op == "call":
                arguments, target = untagged(order), program.target_of(order)
                before = canonical(list(arguments))
                arguments = loads(dumps(arguments))
                seed = random_seed()
                if seed is not None:
                    seed(0)
                if program.counter is None:
                    answer = revealed(called(target, arguments))
                else:
                    program.counter.start(order["limit"])
                    result = called(target, arguments)
                    answer = {"cost": program.counter.stop()}
                    answer.update(revealed(result))
                after = canonical(list(arguments))
                if after != before:
                    answer["args"] = after
            elif op == "prepare":
                # Everything that is not the candidate's own work is done before the clock starts.
                if "calls" in order:
                    program.calls = order["calls"]
                    program.blob = dumps([untagged(call) for call in program.calls])
                next_cpu()
                batch, finished = [], []
                for _ in range(order["passes"]):
                    program.fresh()
                    targets = [program.target_of(call) for call in program.calls]
                    batch.append([(target, args, kwargs) for target, (args, kwargs) in zip(targets, loads(program.blob))])
            elif op == "go":
                keep = finished.append
                seed = random_seed()
                cpu = cpu_clock()
                wall = clock()
                waits = waited()
                for calls in batch[: order.get("passes")]:
                    results = []
                    for target, args, kwargs in calls:
                        if seed is not None:
                            seed(0)
                        try:
                            results.append(drained(target(*args, **kwargs)))
                        except Exception as error:
                            results.append(Raised(error))
                    keep(results)
                waits = waited() - waits
                answer = {"wall_ns": clock() - wall, "cpu_ns": cpu_clock() - cpu, "waited_ns": waits}
            elif op == "end":
                exit_now(0)
            elif op == "reveal":
                index = order["pass"]
                answer = {"outputs": [revealed(result) for result in finished[index]]}
            elif op == "memory":
                answer = {"peak_bytes": peak_bytes(program, order["calls"])}
        except MemoryError:
            answer = {"memory": 1}
        except BaseException as error:
            answer = {"error": error_text(error)}
        answer["id"] = order["id"]
        send(answer)


def take_channel():
    """Moves the channel to private descriptors; the candidate's own input is empty, its prints go nowhere."""
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(max(inward, outward, nothing) + 1, 256)
    reader = os.fdopen(inward, "rb", buffering=1 << 16)
    to_json, write = json.dumps, os.write

    def send(answer):
        data = to_json(answer, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        while data:
            data = data[write(outward, data):]

    return reader.readline, send


def cpu_rotation():
    """Moves on to the next processor: one that shares its core with somebody busy is slower for as long as it does."""
    if not hasattr(os, "sched_setaffinity"):
        return lambda: None
    move, allowed, turn = os.sched_setaffinity, sorted(os.sched_getaffinity(0)), [os.getpid()]

    def next_cpu():
        turn[0] += 1
        try:
            move(0, [allowed[turn[0] % len(allowed)]])
            # Not kept there: when another process wants the same one, the kernel may move either.
            move(0, allowed)
        except OSError:
            move(0, allowed)

    return next_cpu


def waiting_clock():
    """Nanoseconds this thread was ready to run while others had the processors; 0 where the kernel does not say."""
    pread, place = os.pread, "/proc/thread-self/schedstat"
    try:
        where = os.open(place, os.O_RDONLY)
        pread(where, 64, 0).split()[1]
    except (OSError, IndexError):
        return lambda: 0
    to_int = int
    return lambda: to_int(pread(where, 64, 0).split()[1])


class Program:
    """The candidate's files, written where it runs; `fresh` gives its entry from modules that have no history."""

    def __init__(self, order, cut):
        self.blob = None
        self.calls = []
        self.module = None
        self.counter = None
        self.modules = []
        self.target = None
        self.fn = order["fn"].split(".")
        self.entry = os.path.join(WORK, *order["path"].split("/"))
        for file in order["files"]:
            path = os.path.join(WORK, *file["path"].split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as handle:
                handle.write(file["text"])
        if order["count"]:
            from operations import Counter

            self.counter = Counter(cut, WORK)
            self.counter.install()
        with open(self.entry, encoding="utf-8", newline="") as handle:
            text = handle.read()
        if self.counter is None:
            self.code = compile(text, self.entry, "exec", dont_inherit=True)
        else:
            self.code = self.counter.compile(text, self.entry)
        folder = os.path.dirname(self.entry)
        # In a package its relative imports are those of a module there.
        self.package = package_of(folder)
        stem = os.path.splitext(os.path.basename(self.entry))[0]
        self.name = "%s.%s" % (self.package, stem) if self.package else stem
        sys.path[:0] = [folder] if folder == WORK else [folder, WORK]
        sys.meta_path.append(LateSite())

    def fresh(self):
        for name in self.modules:
            sys.modules.pop(name, None)
        known = len(sys.modules)
        module = types.ModuleType(self.name)
        module.__file__ = self.entry
        if self.package:
            module.__package__ = self.package
        name = self.name
        sys.modules[name] = module
        if self.counter is not None:
            module.__dict__.update(self.counter.namespace())
        exec(self.code, module.__dict__)
        if len(sys.modules) != known + len(self.modules):
            self.modules = [name for name, loaded in list(sys.modules.items()) if is_ours(loaded)]
        self.module = module
        self.target = self.find()

    def target_of(self, call):
        """What a call calls; with arguments for the constructor, an instance of its own made within the call."""
        init = call.get("init")
        if init is None:
            return self.target
        blob = marshal.dumps(untagged({**init, "typed": call.get("typed")}))
        find, loads = self.find, marshal.loads
        return lambda *args, **kwargs: find(loads(blob))(*args, **kwargs)

    def find(self, init=((), {})):
        """`f`, `Class.method` or `Class.static`; a method gets an instance."""
        target = self.module
        for part in self.fn:
            if not hasattr(target, part):
                raise AttributeError("there is no %s in %s" % (".".join(self.fn), os.path.relpath(self.entry, WORK)))
            if isinstance(target, type):
                plain = [base.__dict__[part] for base in target.__mro__ if part in base.__dict__][:1]
                if plain and type(plain[0]) is types.FunctionType:
                    target = target(*init[0], **init[1])
            target = getattr(target, part)
        if not callable(target):
            raise TypeError("%s is not callable" % ".".join(self.fn))
        return target


def package_of(folder):
    parts = []
    while folder != WORK and os.path.exists(os.path.join(folder, "__init__.py")):
        folder, part = os.path.split(folder)
        parts.insert(0, part)
    return ".".join(parts)


def is_ours(module):
    where = getattr(module, "__file__", None)
    return isinstance(where, str) and where.startswith(WORK + os.sep)


class LateSite:
    """Site packages cost milliseconds at the start; they are added when an import first misses."""

    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        import site
        from importlib import invalidate_caches
        from importlib.machinery import PathFinder

        before = list(sys.path)
        site.main()
        sys.path[:] = before + [entry for entry in sys.path if entry not in before]
        invalidate_caches()
        return PathFinder.find_spec(name, path, target)


class Raised:
    def __init__(self, error):
        self.error = error


def called(target, arguments):
    try:
        return drained(target(*arguments[0], **arguments[1]))
    except MemoryError:
        raise
    except Exception as error:
        return Raised(error)


def revealed(result):
    return raised(result.error) if isinstance(result, Raised) else {"value": canonical(result)}


def raised(error):
    return {"raised": type(error).__name__, "error": describe_error(error)}


def drained(value):
    """A generator or coroutine has done nothing yet: its work belongs to the call."""
    kind = type(value)
    if kind is types.GeneratorType:
        return Drained(list(value))
    if kind is types.CoroutineType:
        import asyncio

        return asyncio.run(value)
    return value


class Drained:
    def __init__(self, items):
        self.items = items


def random_seed():
    """Chance is the same for every program and every call: a program without it pays nothing."""
    module = sys.modules.get("random")
    return None if module is None else module.seed


def settle():
    """Before the clock: garbage of the start is nobody's fault and is not collected in the middle of a pass."""
    module = sys.modules.get("gc")
    if module is None:
        import gc as module
    module.collect()


def peak_bytes(program, calls):
    import tracemalloc

    peak = 0
    tracemalloc.start()
    for call in calls:
        target, (args, kwargs) = program.target_of(call), marshal.loads(marshal.dumps(untagged(call)))
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        try:
            result = drained(target(*args, **kwargs))
        except MemoryError:
            raise
        except Exception:
            result = None
        peak = max(peak, tracemalloc.get_traced_memory()[1] - before)
        del result
    if not tracemalloc.is_tracing():
        raise RuntimeError("tracing of memory was switched off")
    tracemalloc.stop()
    return peak


def describe_error(error):
    """The traceback from the candidate's first line on, its paths as the person knows them."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(os.path.dirname(__file__))]
    lines = traceback.format_list(frames[-6:]) if frames else []
    lines += traceback.format_exception_only(type(error), error)
    return "".join(lines).replace(WORK + os.sep, "").strip()[-4000:]


def untagged(call):
    """A call's arguments as values; tagged ones (`typed`) are those that `canonical` writes."""
    args, kwargs = call.get("args", []), call.get("kwargs", {})
    if not call.get("typed"):
        return args, kwargs
    return [value_of(item) for item in args], {name: value_of(item) for name, item in kwargs.items()}


def value_of(tagged):
    if type(tagged) is list:
        return [value_of(item) for item in tagged]
    if type(tagged) is not dict:
        return tagged
    for tag, make in MAKERS.items():
        if tag in tagged and len(tagged) == 1:
            return make(tagged[tag])
    raise TypeError("inputs can hold plain values only, not %s" % json.dumps(tagged)[:200])


MAKERS = {
    "tuple": lambda items: tuple(map(value_of, items)),
    "set": lambda items: set(map(value_of, items)),
    "frozenset": lambda items: frozenset(map(value_of, items)),
    "dict": lambda pairs: {value_of(key): value_of(item) for key, item in pairs},
    "float": float,
    "int": int,
    "bytes": bytes.fromhex,
}
SAFE = 1 << 53
DEEPEST = 1000
MOST = 2_000_000


def canonical(value):
    """A value as plain JSON in which different values differ: see daemon/handlers/evaluators/values.ts."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * DEEPEST + 100)
    try:
        return Canon().walk(value)
    finally:
        sys.setrecursionlimit(limit)


class Canon:
    def __init__(self):
        self.path = set()
        self.count = 0

    def walk(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -SAFE < value < SAFE else {"int": str(value)}
        if kind is float:
            # A whole float would look like an int in JSON.
            return value if value == value and abs(value) < SAFE and value != int(value) else {"float": repr(value)}
        self.count += 1
        if self.count > MOST:
            raise ValueError("the output has more than %d parts" % MOST)
        key = id(value)
        if key in self.path:
            return {"cycle": len(self.path)}
        if len(self.path) >= DEEPEST:
            raise ValueError("the output is nested deeper than %d levels" % DEEPEST)
        self.path.add(key)
        result = self.compound(value, kind)
        self.path.remove(key)
        return result

    def items(self, values):
        walk = self.walk
        return [walk(item) for item in values]

    def pairs(self, mapping):
        walk = self.walk
        return [[walk(key), walk(item)] for key, item in mapping.items()]

    def compound(self, value, kind):
        if kind is list:
            return self.items(value)
        if kind is tuple:
            return {"tuple": self.items(value)}
        if kind is dict:
            return {"dict": self.pairs(value)}
        if kind is set or kind is frozenset:
            return {kind.__name__: sorted(self.items(value), key=json.dumps)}
        if kind is bytes or kind is bytearray:
            return {kind.__name__: value.hex()}
        if kind is Drained:
            return {"generator": self.items(value.items)}
        name = "%s.%s" % (kind.__module__, kind.__qualname__)
        if isinstance(value, CALLABLES):
            return {"opaque": getattr(value, "__qualname__", name)}
        if kind.__module__ == "numpy" and hasattr(value, "tolist"):
            return {"array": str(value.dtype), "shape": list(value.shape), "items": self.walk(value.tolist())}
        for base in (list, tuple, set, frozenset, dict):
            if isinstance(value, base):
                state = {"dict": self.pairs(getattr(value, "__dict__", {}))}
                # Its order is part of its value.
                items = self.pairs(value) if name == "collections.OrderedDict" else self.compound(base(value), base)
                return {"object": name, "items": items, "state": state}
        if hasattr(value, "__next__"):
            return {"iterator": name}
        fields = dict(getattr(value, "__dict__", {}))
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, slot):
                    fields[slot] = getattr(value, slot)
        if fields or type(value).__repr__ is object.__repr__:
            return {"object": name, "state": {"dict": self.pairs(fields)}}
        return {"object": name, "repr": repr(value)}


CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType)


if __name__ == "__main__":
    main()
