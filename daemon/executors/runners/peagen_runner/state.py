"""Names and what they hold: which of them changed since the last look, at little cost for what stays as it is."""
import sys

from .plain_json import dumps, loads
from .program import Function, Module
from .values import DEEPEST, Canon, detail_of

try:
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

FIXED = {int, float, complex, bool, str, bytes, type(None)}
PLAIN = {list, dict, tuple, set, frozenset, bytearray}
# Bytes of marshal, or parts: what is larger is looked through only at the end, and by its length before.
LARGE_BYTES, LARGE_PARTS, LAST_PARTS = 1 << 16, 1000, 50_000
# Characters of JSON up to which a value is sent itself; a longer one is sent as a digest.
SENT = 8000


class TooLarge(Exception):
    pass


class Mark:
    """What was seen of a value: `detail` finds quickly that nothing changed, `text` decides."""

    __slots__ = ("value", "detail", "text", "large")

    def __init__(self, value, detail, text, large=False):
        self.value, self.detail, self.text, self.large = value, detail, text, large


class Space:
    def __init__(self, read):
        self.read = read
        self.seen = {}
        self.ever = set()
        # What was large at the first look is kept by name: enough to see whether it has changed at the end.
        self.first = {}

    def look(self):
        """What changed since the last look: by name the value, or `{"gone": 1}`."""
        now, changed, first = {}, {}, not self.ever
        for name, value in self.read():
            before = self.seen.get(name)
            now[name] = mark = mark_of(value, before)
            if not first and (before is None or before.text != mark.text):
                changed[name] = sent(mark)
        changed.update((name, {"gone": 1}) for name in self.seen if name not in now)
        if first:
            self.first = {name: contents(mark.value) for name, mark in now.items() if mark.large}
        self.seen = now
        self.ever.update(now)
        return changed

    def large(self, prefix=""):
        """Digests of what was only glanced at, and is not what it was at the first look."""
        found = {name: mark.value for name, mark in self.seen.items() if mark.large}
        return {prefix + name: digest(value) for name, value in found.items() if self.first.get(name) != contents(value)}


def mark_of(value, before):
    kind = type(value)
    if kind in FIXED or kind is Function:
        if before is not None and before.value is value:
            return before
        return Mark(value, None, written(value))
    if before is not None and before.value is value and before.large:
        return Mark(value, None, glance(value), True)
    detail = None
    if kind in PLAIN:
        detail = detail_of(value)
        if detail is not None and len(detail) > LARGE_BYTES:
            return Mark(value, None, glance(value), True)
        if detail is not None and before is not None and before.detail == detail:
            return Mark(value, detail, before.text)
    try:
        return Mark(value, detail, written(value, LARGE_PARTS))
    except TooLarge:
        return Mark(value, None, glance(value), True)


def written(value, most=LARGE_PARTS):
    """The value as canonical JSON. What cannot be written so is described by its type."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * DEEPEST + 100)
    try:
        return dumps(State(most).walk(value))
    except (TooLarge, MemoryError):
        raise
    except Exception:
        return dumps({"object": type(value).__qualname__})
    finally:
        sys.setrecursionlimit(limit)


def glance(value):
    """Of what is large: its type and length, and the last of its parts."""
    kind = type(value)
    seen = {"large": kind.__qualname__}
    try:
        seen["items"] = len(value)
        if kind is list and value or kind is tuple and value:
            seen["last"] = written(value[-1], 20)
        elif kind is dict and value:
            key = next(reversed(value))
            seen["last"] = written((key, value[key]), 20)
    except Exception:
        pass
    return dumps(seen)


def sent(mark):
    if len(mark.text) <= SENT:
        return loads(mark.text)
    seen = {"large": type(mark.value).__qualname__, "digest": sha256(mark.text.encode()).hexdigest()[:16]}
    if type(mark.value) in PLAIN:
        seen["items"] = len(mark.value)
    return seen


def contents(value):
    """Enough to tell whether a value has changed within this process, at little cost where it is plain."""
    if type(value) in PLAIN:
        detail = detail_of(value)
        if detail is not None:
            return hash(detail)
    return digest(value)


def digest(value):
    try:
        return sha256(written(value, LAST_PARTS).encode()).hexdigest()[:16]
    except TooLarge:
        return glance(value)


class State(Canon):
    """Values of names: beyond what is returned, the state of random generators, iterators and text in memory."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def too_large(self):
        return TooLarge()

    def compound(self, value, kind):
        module = kind.__module__
        if module == "random" and hasattr(value, "getstate"):
            return {"random": sha256(repr(value.getstate()).encode()).hexdigest()[:16]}
        if module.startswith("numpy.random") and hasattr(value, "bit_generator"):
            return {"random": sha256(repr(value.bit_generator.state).encode()).hexdigest()[:16]}
        if module == "_io":
            if hasattr(value, "getvalue"):
                return {"object": kind.__name__, "items": self.walk(value.getvalue())}
            if not value.closed and value.writable():
                # What is still in its buffer belongs to the file.
                value.flush()
            return {"object": kind.__name__}
        if hasattr(value, "__next__"):
            left = value.__length_hint__() if module == "builtins" and hasattr(value, "__length_hint__") else None
            return {"iterator": without_address(repr(value)), "left": left}
        result = super().compound(value, kind)
        if type(result) is dict and "repr" in result:
            result["repr"] = without_address(result["repr"])
        return result


def without_address(text):
    return text.partition(" at 0x")[0]


def module_names(modules, entry):
    """Of the program's modules: variables, attributes of their classes and functions, mutable defaults."""
    owned = set()
    for module in modules:
        own = module.__name__
        prefix = "" if own == entry else own + "."
        mine = set()
        for name, value in list(vars(module).items()):
            kind = type(value)
            if name.startswith("__") or kind is Module or kind.__module__ == "typing":
                continue
            if kind is Function:
                if value.__module__ == own:
                    yield from function_names(value, prefix + name)
            elif isinstance(value, type):
                if value.__module__ == own:
                    yield from class_names(value, prefix + name, own)
            elif kind not in FIXED:
                if id(value) in owned:
                    continue
                mine.add(id(value))
            yield prefix + name, value
        owned |= mine


def function_names(function, name):
    code, defaults = function.__code__, function.__defaults__ or ()
    parameters = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    for parameter, value in [*zip(parameters, defaults), *(function.__kwdefaults__ or {}).items()]:
        if type(value) not in FIXED:
            yield "%s(%s)" % (name, parameter), value
    for attribute, value in list(vars(function).items()):
        if not attribute.startswith("__"):
            yield "%s.%s" % (name, attribute), value


def class_names(owner, name, module, depth=0):
    for attribute, value in list(vars(owner).items()):
        if attribute.startswith("__"):
            continue
        place = "%s.%s" % (name, attribute)
        inner = getattr(value, "__func__", value) if type(value) in (staticmethod, classmethod) else value
        if type(inner) is Function:
            yield from function_names(inner, place)
        elif isinstance(value, type):
            if value.__module__ == module and depth < 3:
                yield from class_names(value, place, module, depth + 1)
        elif not hasattr(type(value), "__get__"):
            yield place, value


def instance_names(instance):
    """Attributes, and the items of what is a list or dictionary itself. What `cached_property` keeps is a cache."""
    kind = type(instance)
    for name, value in list(getattr(instance, "__dict__", {}).items()):
        if type(getattr(kind, name, None)).__name__ != "cached_property":
            yield name, value
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            name = "_%s%s" % (base.__name__.lstrip("_"), slot) if slot.startswith("__") and not slot.endswith("__") else slot
            if name not in ("__dict__", "__weakref__") and hasattr(instance, name):
                yield slot, getattr(instance, name)
    for base in (list, tuple, set, frozenset, dict):
        if isinstance(instance, base):
            yield "[items]", base(instance)
