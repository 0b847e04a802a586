"""The side of the program: a process that was forked before the evaluator was loaded, so that nothing of it is in reach.

The first process only waits for loads, each of which gets a process of its own, as each import of a file gives a new module. Where
it is known how many there are, the last one gets the first process itself, which spares a fork.
"""
import _signal
import _socket
import os
import sys

from peagen_fork.hidden import set_hidden
from peagen_runner.plain_json import dumps, loads

from .data import Opaque, packed, same, unpacked
from .late import late

MOST_FRAMES = 50
Function = type(lambda: None)
# Flags of code that makes a generator, a coroutine or an asynchronous generator.
DEFERRED = 0x20 | 0x80 | 0x200


def start(most):
    """Returns a socket that takes one byte for each load, with a socket of its own for what is asked of that copy.

    `most`: how many loads there are, at least 1; `None` where that is not known.
    """
    ours, asked = _socket.socketpair()
    if os.fork() != 0:
        asked.close()
        return ours
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.dup2(asked.detach(), 3)
    os.closerange(4, 1024)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_IGN)
    asked = _socket.socket(fileno=3)
    made = 0
    while True:
        byte, rights, _flags, _address = asked.recvmsg(1, _socket.CMSG_LEN(4))
        if not byte:
            os._exit(0)
        descriptor = int.from_bytes(rights[0][2], sys.byteorder)
        made += 1
        if made == most or os.fork() == 0:
            asked.close()
            serve(descriptor)
            os._exit(0)
        os.close(descriptor)


def serve(descriptor):
    # A program may look at itself.
    set_hidden(False)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    with open(descriptor, "r", encoding="utf-8") as lines, open(os.dup(descriptor), "w", encoding="utf-8") as out:
        module, seeds = None, {}
        for line in lines:
            order = loads(line)
            try:
                if order["op"] == "load":
                    sys.path[:] = order["path"]
                    module = load(order["name"], order["file"])
                    answer = {"names": described(module)}
                elif order["op"] == "get":
                    answer = member(getattr(module, order["name"]))
                else:
                    seed(order["seeds"], seeds)
                    answer = call(getattr(module, order["name"]), order)
            except Opaque as error:
                answer = {"opaque": str(error)}
            except BaseException as error:
                answer = {"raised": raised(error)}
            answer["id"] = order["id"]
            out.write(dumps(answer) + "\n")
            out.flush()


def load(name, file):
    util = late("importlib.util")
    spec = util.spec_from_file_location(name, file)
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def described(module):
    names = {}
    for name, value in vars(module).items():
        if name.startswith("__") and name.endswith("__"):
            continue
        try:
            names[name] = member(value)
        except Opaque as error:
            names[name] = {"opaque": str(error)}
    return names


def member(value):
    # A coroutine or a generator does its work elsewhere than in its call.
    if isinstance(value, (Function, type(len))):
        if isinstance(value, Function) and value.__code__.co_flags & DEFERRED:
            raise Opaque("%s, which is not an ordinary function" % value.__name__)
        return {"function": value.__name__, "doc": value.__doc__ if isinstance(value.__doc__, str) else None}
    return {"value": packed(value)}


def call(function, order):
    arguments, named = unpacked(order["args"]), unpacked(order["kwargs"])
    result = function(*arguments, **named)
    answer = {"value": packed(result)}
    left = [[index, packed(value)] for index, value in enumerate(arguments) if isinstance(value, (list, dict, set)) or hasattr(value, "dtype")]
    answer["left"] = [[index, value] for index, value in left if not same(order["args"][index], value)]
    return answer


def seed(wanted, known):
    """Chance that the evaluator has seeded goes on here from a state that follows from its own."""
    if wanted["random"] is not None and known.get("random") != wanted["random"]:
        late("random").seed(wanted["random"])
    if wanted["numpy"] is not None and known.get("numpy") != wanted["numpy"]:
        import numpy

        numpy.random.seed(wanted["numpy"])
    known.update(wanted)


def raised(error):
    kind = type(error)
    text = str(error)
    if isinstance(error, SyntaxError):
        args = [error.msg, [error.filename, error.lineno, error.offset, error.text]]
    else:
        args = list(error.args) if all(type(value) in (int, float, str) for value in error.args) else [text]
    frames = [[frame.filename, frame.lineno, frame.name] for frame in late("traceback").extract_tb(error.__traceback__)]
    shown = [frame for frame in frames if frame[0] != __file__ and not frame[0].startswith("<frozen ")]
    return {"type": kind.__name__, "args": args, "text": text, "frames": shown[-MOST_FRAMES:]}
