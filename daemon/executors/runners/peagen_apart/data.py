"""Values as data: what one process says to the other cannot run code there, unlike a pickle.

Only exact built-in types and arrays of numpy pass. Every other value raises `Opaque`, with the name of its type.
"""
import sys

from .late import late

PLAIN = (type(None), bool, int, float, str)
DEEPEST = 200


class Opaque(Exception):
    """A value that has no form as data."""


def packed(value, depth=0):
    kind = type(value)
    if kind in PLAIN:
        return value
    if depth > DEEPEST:
        raise Opaque("a value that is nested too deeply")
    if kind is list:
        return [packed(item, depth + 1) for item in value]
    if kind in (tuple, set, frozenset):
        return {"kind": kind.__name__, "items": [packed(item, depth + 1) for item in value]}
    if kind is dict:
        return {"kind": "dict", "items": [[packed(key, depth + 1), packed(item, depth + 1)] for key, item in value.items()]}
    if kind in (bytes, bytearray):
        return {"kind": kind.__name__, "data": late("base64").b64encode(value).decode()}
    if kind is complex:
        return {"kind": "complex", "items": [value.real, value.imag]}
    numpy = sys.modules.get("numpy")
    if numpy is not None and (kind is numpy.ndarray or isinstance(value, numpy.generic)) and value.dtype.kind in "biufcSU":
        data = late("base64").b64encode(value.tobytes()).decode()
        return {"kind": "array" if kind is numpy.ndarray else "scalar", "type": value.dtype.str, "shape": list(value.shape), "data": data}
    raise Opaque(kind.__name__)


def unpacked(value):
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "dict":
        return {unpacked(key): unpacked(item) for key, item in value["items"]}
    if kind in ("tuple", "set", "frozenset"):
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](unpacked(item) for item in value["items"])
    if kind in ("bytes", "bytearray"):
        return {"bytes": bytes, "bytearray": bytearray}[kind](late("base64").b64decode(value["data"]))
    if kind == "complex":
        return complex(*value["items"])
    import numpy

    array = numpy.frombuffer(late("base64").b64decode(value["data"]), dtype=numpy.dtype(value["type"])).reshape(value["shape"]).copy()
    return array if kind == "array" else array[()]


def same(before, after):
    """Whether two packed values are equal by type too: in Python 1, 1.0 and True are."""
    return repr(before) == repr(after)
