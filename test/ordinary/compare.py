"""Compares Python candidates with an original on calls. Reads one JSON object on standard input, writes one on standard output.

It knows nothing of the product: it loads every program afresh for each session and compares what a user could see.
"""
import asyncio
import contextlib
import copy
import io
import itertools
import json
import os
import random
import signal
import sys
import types

SECONDS = 5
MOST_YIELDED = 10_000


class TooSlow(BaseException):
    pass


def too_slow(_number, _frame):
    raise TooSlow


def decode(value):
    """The value of a typed call; only tuples are drawn."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        return tuple(decode(item) for item in value["tuple"])
    return value


def snapshot(value):
    """A copy that can be compared after the value has changed."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return (type(value).__name__, value)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [snapshot(item) for item in value])
    if isinstance(value, (set, frozenset)):
        return (type(value).__name__, sorted(repr(snapshot(item)) for item in value))
    if isinstance(value, dict):
        return (type(value).__name__, {repr(snapshot(key)): snapshot(item) for key, item in value.items()})
    if isinstance(value, type) and value.__module__ == "program":
        # Its attributes are data of the module; methods, properties and what Python adds itself are not.
        held = {name: item for name, item in vars(value).items() if not name.startswith("__")}
        data = {name: snapshot(item) for name, item in held.items() if isinstance(item, (int, float, str, list, dict, set, tuple))}
        return ("class", {"name": ("str", value.__name__), **data})
    if isinstance(value, (type, types.FunctionType, types.ModuleType, types.BuiltinFunctionType)):
        return ("code", getattr(value, "__name__", ""))
    if not hasattr(value, "__dict__"):
        return ("object " + type(value).__name__, {"": ("str", repr(value))})
    return ("object " + type(value).__name__, {name: snapshot(item) for name, item in vars(value).items()})


def same(expected, actual):
    kind, one = expected
    if kind != actual[0]:
        return False
    other = actual[1]
    if kind == "float":
        return one == other or (one != one and other != other) or abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    if kind in ("set", "frozenset"):
        return one == other
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        if any(name not in other or not same(item, other[name]) for name, item in one.items()):
            return False
        new = [name for name in other if name not in one]
        return not new or (kind.startswith(("object ", "class")) and all(name.startswith("_") for name in new))
    return one == other


class Program:
    def __init__(self, text, entry):
        self.code = compile(text, "<program>", "exec")
        self.owner, _, self.name = entry.rpartition(".")

    def run(self, session, seed):
        module = types.ModuleType("program")
        sys.modules["program"] = module
        exec(self.code, module.__dict__)
        random.seed(seed)
        shared = []
        return [self.call(module, call, shared) for call in session]

    def call(self, module, call, shared):
        args, kwargs = copy.deepcopy((call["args"], call["kwargs"]))
        if call.get("typed"):
            args = decode(args)
        instance = None
        earlier = []
        raised = value = None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                function = getattr(module, self.name, None)
                if self.owner:
                    instance = self.instance(module, call, shared)
                    for step in call.get("before", ()):
                        earlier.append(self.step(instance, copy.deepcopy(step)))
                    function = getattr(instance, self.name)
                value = function(*args, **kwargs)
                if isinstance(value, types.CoroutineType):
                    coroutine, value = value, None
                    value = ["a coroutine", asyncio.run(coroutine)]
                if isinstance(value, types.GeneratorType):
                    # What it yields before it raises counts as well.
                    generator, value = value, ["a generator"]
                    items = []
                    for item in itertools.islice(generator, MOST_YIELDED):
                        value.append(snapshot(item))
                        items.append(item)
                    # As list() has them, when the last is there.
                    value.append(snapshot(items))
            except Exception as caught:
                raised = type(caught).__name__
        data = {
            name: snapshot(held)
            for name, held in vars(module).items()
            if not name.startswith("__") and not isinstance(held, (types.FunctionType, types.ModuleType))
            and not (isinstance(held, type) and held.__module__ != "program")
            and getattr(type(held), "__module__", "") != "typing"
        }
        return {
            "raised": raised,
            "earlier": earlier,
            "value": snapshot(value),
            "arguments": snapshot([args, kwargs]),
            "instance": snapshot(instance),
            "module": data,
            "printed": printed.getvalue(),
            "random": random.getstate(),
        }

    def step(self, instance, step):
        """What a call before the call came to, so that it can be compared."""
        try:
            return snapshot(getattr(instance, step["method"])(*step["args"], **step["kwargs"]))
        except Exception as caught:
            return ("raised", type(caught).__name__)

    def instance(self, module, call, shared):
        if "init" in call:
            init = copy.deepcopy(call["init"])
            return getattr(module, self.owner)(*init["args"], **init["kwargs"])
        if not shared:
            shared.append(getattr(module, self.owner)())
        return shared[0]


def difference(expected, actual):
    """The name of the first part in which two reports differ."""
    for part in ("earlier", "raised", "value", "arguments", "instance", "module", "printed", "random"):
        mine, theirs = expected[part], actual[part]
        if part == "module":
            equal = all(name in theirs and same(held, theirs[name]) for name, held in mine.items())
        elif part == "earlier":
            equal = all(map(same, mine, theirs))
        elif part in ("value", "arguments", "instance"):
            equal = same(mine, theirs)
        else:
            equal = mine == theirs
        if not equal:
            return f"{part}: {str(mine)[:300]} expected, {str(theirs)[:300]} found"
    return None


def limited(program, session, seed):
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return program.run(session, seed)
    except TooSlow:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def compare(expected, program, sessions, most):
    found = {"different": 0, "first": None, "parts": {}}
    for number, (session, reports) in enumerate(zip(sessions, expected)):
        if found["different"] == most:
            break
        actual = limited(program, session, number)
        if actual is None:
            found["different"] += 1
            found["first"] = found["first"] or {"session": session, "difference": "it did not end"}
            break
        told = next(filter(None, map(difference, reports, actual)), None)
        if told is not None:
            found["different"] += 1
            part = told.split(":")[0]
            found["parts"][part] = found["parts"].get(part, 0) + 1
            found["first"] = found["first"] or {"session": session, "difference": told}
    return found


def main():
    signal.signal(signal.SIGALRM, too_slow)
    order = json.load(sys.stdin)
    original = Program(order["original"], order["entry"])
    sessions = order["sessions"]
    expected = [original.run(session, number) for number, session in enumerate(sessions)]
    raised = {}
    for reports in expected:
        for report in reports:
            if report["raised"] is not None:
                raised[report["raised"]] = raised.get(report["raised"], 0) + 1
    results = []
    for text in order["candidates"]:
        results.append(compare(expected, Program(text, order["entry"]), sessions, order["most"]))
    json.dump({"raised": raised, "results": results}, sys.stdout)


# What a program prints at its end goes nowhere.
main()
sys.stdout.flush()
os._exit(0)
