"""JSON through the parts of the standard library that are written in C: its package json takes longer to import than all else."""


def json_functions():
    """`loads` of one compact value, `dumps` in compact form. Those of the package json where the C parts are other ones."""
    try:
        loads, dumps = fast()
        if loads('{"a":[1,-2.5,"\\u00e9",null,true]}') == {"a": [1, -2.5, "\xe9", None, True]} and dumps({"a": [1, "\xe9"]}) == '{"a":[1,"\\u00e9"]}':
            return loads, dumps
    except (ImportError, AttributeError, TypeError, StopIteration):
        pass
    import json

    return json.loads, lambda value: json.dumps(value, separators=(",", ":"))


def fast():
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    scan = make_scanner(Strict)
    # Nothing here is inside of itself, so it need not remember what it is in.
    encode, join = make_encoder(None, refuse, encode_basestring_ascii, None, ":", ",", False, False, True), "".join
    return lambda text: scan(text, 0)[0], lambda value: join(encode(value, 0))


class Strict:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__
    memo = {}


def refuse(value):
    raise TypeError("Object of type %s is not JSON serializable" % type(value).__name__)


loads, dumps = json_functions()
