"""Reads pairs of programs with a call as JSON; writes the changed calls on which results or arguments differ where the first returns."""
import copy
import json
import random
import sys


def varied(value, rng):
    if isinstance(value, list):
        items = []
        for item in value:
            draw = rng.random()
            if draw < 0.12:
                continue
            for _ in range(2 if draw > 0.8 else 1):
                items.append(varied(item if draw < 0.5 else rng.choice(value), rng))
        return items
    if isinstance(value, tuple):
        return tuple(varied(item, rng) for item in value)
    if isinstance(value, dict):
        return {key: varied(item, rng) for key, item in value.items()}
    if isinstance(value, bool) or value is None or rng.random() >= 0.3:
        return value
    if isinstance(value, str):
        return value[:-1] + rng.choice(["a", "b", ""])
    return value + rng.choice([-2, -1, 1, 0.5])


def run(text, args):
    names = {}
    exec(text, names)
    own = copy.deepcopy(args)
    return repr((names["f"](*own), own))


different = []
for pair in json.load(sys.stdin):
    rng = random.Random(7)
    first = eval("(" + pair["call"] + ",)")
    for _ in range(60):
        args = [varied(value, rng) for value in first]
        try:
            wanted = run(pair["before"], args)
        except Exception:
            continue
        try:
            got = run(pair["after"], args)
        except Exception as error:
            got = repr(error)
        if got != wanted:
            different.append("%s: %r: %s, not %s" % (pair["before"], args, got, wanted))
            break
print(json.dumps(different))
