"""Values as plain JSON in which different values differ, and back."""
import marshal
import sys

from .plain_json import dumps


def untagged(call):
    """A call's arguments as values; tagged ones (`typed`) are those that `canonical` writes."""
    args, kwargs = call.get("args", []), call.get("kwargs", {})
    if not call.get("typed"):
        return args, kwargs
    return [value_of(item) for item in args], {name: value_of(item) for name, item in kwargs.items()}


def packed(value):
    """What `unpacked` makes a new copy of the value from."""
    try:
        return marshal.dumps(value)
    except ValueError:
        # Dates and decimals are no constants of the language.
        import _pickle

        return _pickle.dumps(value, 4)


def unpacked(data):
    if data[:1] != PICKLED:
        return marshal.loads(data)
    import _pickle

    return _pickle.loads(data)


class Before:
    """The arguments of a call as they were before it: `packed` in `data`, of which `arguments` were made.

    `quick`: that they are as before is found at a small part of the cost of writing them twice.
    """

    def __init__(self, data, arguments, quick=True):
        self.data = data
        self.detail = detail_of(arguments) if quick else None

    def changed(self, arguments):
        """What `canonical` writes of the arguments now; None where the call has not changed them."""
        if self.detail is not None and self.detail == detail_of(arguments):
            return None
        after = canonical(list(arguments))
        return None if dumps(after) == dumps(canonical(list(unpacked(self.data)))) else after


def detail_of(value):
    """Bytes that are the same for equal values alone, but for bytes and what holds bytes; None for more than plain values."""
    try:
        # Without references, which depend on who else holds the parts.
        return marshal.dumps(value, 2)
    except ValueError:
        return None


# No code of marshal's: the first byte of pickle's protocols.
PICKLED = b"\x80"


def value_of(tagged):
    if type(tagged) is list:
        return [value_of(item) for item in tagged]
    if type(tagged) is not dict:
        return tagged
    for tag, make in MAKERS.items():
        if tag in tagged and len(tagged) == 1:
            return make(tagged[tag])
    raise TypeError("inputs can hold plain values only, not %s" % dumps(tagged)[:200])


def moment(name):
    def make(text):
        import datetime

        return getattr(datetime, name).fromisoformat(text)

    return make


def decimal(text):
    from decimal import Decimal

    return Decimal(text)


MAKERS = {
    "tuple": lambda items: tuple(map(value_of, items)),
    "set": lambda items: set(map(value_of, items)),
    "frozenset": lambda items: frozenset(map(value_of, items)),
    "dict": lambda pairs: {value_of(key): value_of(item) for key, item in pairs},
    "float": float,
    "int": int,
    "bytes": bytes.fromhex,
    "date": moment("date"),
    "datetime": moment("datetime"),
    "decimal": decimal,
}
SAFE = 1 << 53
DEEPEST = 1000
MOST = 2_000_000


def canonical(value):
    """A value as plain JSON in which different values differ: see daemon/judging/function/values.ts."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * DEEPEST + 100)
    try:
        return Canon().walk(value)
    finally:
        sys.setrecursionlimit(limit)


class Drained:
    """What a generator yielded, and what it returned."""

    def __init__(self, items, end=None):
        self.items = items
        self.end = end


class Canon:
    def __init__(self):
        self.path = set()
        self.count = 0
        self.most = MOST

    def too_large(self):
        return ValueError("the output has more than %d parts" % self.most)

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
        if self.count > self.most:
            raise self.too_large()
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
            return {kind.__name__: sorted(self.items(value), key=dumps)}
        if kind is bytes or kind is bytearray:
            return {kind.__name__: value.hex()}
        if kind is Drained:
            items = {"generator": self.items(value.items)}
            return items if value.end is None else {**items, "returned": self.walk(value.end)}
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


CALLABLES = (type(canonical), type(len), type(Canon().walk), type, type(sys))
