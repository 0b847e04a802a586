"""Calls of the candidate: what they return or raise, how much memory they take, what is the same for each of them."""
import os
import sys

from .program import WORK
from .values import Drained, canonical, packed, unpacked, untagged


def kinds():
    async def coroutine():
        pass

    waiting = coroutine()
    waiting.close()
    return type(one for one in ()), type(waiting)


Generator, Coroutine = kinds()


class Raised:
    """`before`: what a generator yielded before it raised."""

    def __init__(self, error, before=None):
        self.error = error
        self.before = before


def called(target, arguments):
    """What the call came to, and whether it was waited for."""
    awaited = False
    try:
        value = target(*arguments[0], **arguments[1])
        awaited = type(value) is Coroutine
        return drained(value), awaited
    except MemoryError:
        raise
    except Exception as error:
        return Raised(error), awaited


def target_of(program, call, note=None):
    """What a call calls; with arguments for the constructor, an instance of its own made within the call.

    Its methods may be called before; `note` is given what each of these calls came to.
    """
    init = call.get("init")
    if init is None:
        return program.target
    typed = call.get("typed")
    blob = packed(untagged({**init, "typed": typed}))
    steps = [(step["method"], packed(untagged({**step, "typed": typed}))) for step in call.get("before", ())]
    find, loads, run = program.find, unpacked, called

    def target(*args, **kwargs):
        bound = find(loads(blob))
        for name, arguments in steps:
            result, _ = run(lambda *given, **named: getattr(bound.__self__, name)(*given, **named), loads(arguments))
            if note is not None:
                note(result)
        return bound(*args, **kwargs)

    return target


def revealed(result):
    if not isinstance(result, Raised):
        return {"value": canonical(result)}
    answer = {"raised": type(result.error).__name__, "error": describe_error(result.error)}
    return answer if result.before is None else {"value": canonical(result.before), **answer}


def drained(value):
    """A generator or coroutine has done nothing yet: its work belongs to the call."""
    kind = type(value)
    if kind is Generator:
        items, end = [], []
        try:
            items.extend(whole(value, end))
        except MemoryError:
            raise
        except Exception as error:
            return Raised(error, Drained(items) if items else None)
        return Drained(items, end[0])
    if kind is Coroutine:
        import asyncio

        return asyncio.run(value)
    return value


def whole(generator, end):
    end.append((yield from generator))


def random_seed():
    """Chance is the same for every program and every call: a program without it pays nothing."""
    module = sys.modules.get("random")
    return None if module is None else module.seed


def settle(frozen=[]):
    """Before the clock: garbage of the start belongs to no program and is not collected in the middle of a pass.

    What is there after the load, and after the first pass, is not looked through again: it stays, and modules that a
    candidate imports would make every collection longer than those of the original.
    """
    module = sys.modules.get("gc")
    if module is None:
        import gc as module
    module.collect()
    if len(frozen) < 2 and hasattr(module, "freeze"):
        module.freeze()
        frozen.append(True)


def peak_bytes(program, calls):
    # Its package imports others that take longer than the interpreter's start, and looks for one of Jython's in all that is installed.
    import _tracemalloc as tracemalloc

    # What it remembered of earlier calls takes no memory now.
    program.unused()
    peak = 0
    tracemalloc.start(1)
    for call in calls:
        target, (args, kwargs) = target_of(program, call), unpacked(packed(untagged(call)))
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
    """The traceback from the candidate's first line on, its paths as the user knows them."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(os.path.dirname(os.path.dirname(__file__)))]
    lines = traceback.format_list(frames[-6:]) if frames else []
    lines += traceback.format_exception_only(type(error), error)
    return "".join(lines).replace(WORK + os.sep, "").strip()[-4000:]
