"""Puts the settings of an application together from several layers."""

import copy
import re

REFERENCE = re.compile(r"\$\{([^}]+)\}")


def merge(base, extra):
    """The second layer over the first: null removes a key, a key with a plus appends to a list."""
    result = copy.deepcopy(base)
    for key, value in extra.items():
        if key.endswith("+") and isinstance(value, list):
            name = key[:-1]
            old = result.get(name)
            if not isinstance(old, list):
                old = [] if old is None else [old]
            result[name] = old + [item for item in value if item not in old]
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merge(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def look_up(settings, path):
    value = settings
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        else:
            raise KeyError(f"no setting {path}")
    return value


def as_text(value):
    if value is True or value is False:
        return "yes" if value else "no"
    return str(value)


def resolve(value, settings, trail):
    """Replaces the references in a value; one that makes up the whole text keeps its type."""
    if isinstance(value, dict):
        return {key: resolve(item, settings, trail) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, settings, trail) for item in value]
    if not isinstance(value, str):
        return value

    def target(path):
        name, _, default = path.partition(":")
        if name in trail:
            raise ValueError("circular reference: " + " -> ".join(trail + [name]))
        try:
            found = look_up(settings, name)
        except KeyError:
            if default:
                return default
            raise
        return resolve(found, settings, trail + [name])

    whole = REFERENCE.fullmatch(value)
    if whole:
        return target(whole.group(1))
    return REFERENCE.sub(lambda match: as_text(target(match.group(1))), value)


def layered_settings(layers, overrides=None):
    """Merges the layers in order, then the overrides by their dotted path, and resolves all references."""
    settings = {}
    for layer in layers:
        settings = merge(settings, layer)
    for path, value in (overrides or {}).items():
        for part in reversed(path.split(".")):
            value = {part: value}
        settings = merge(settings, value)
    return resolve(settings, settings, [])


def inputs():
    state = 3

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    def service(index):
        entry = {"url": "${base.url}/s%d" % index, "retries": roll(5), "tags": ["t%d" % roll(9)]}
        if index and roll(2):
            entry["log"] = "${services.s%d.url}/${base.logs:log}" % roll(index)
        entry["limits"] = {"cpu": roll(8), "memory": "%dM" % (roll(16) * 64)}
        return entry

    def call(count, layer_count):
        base = {"host": "example.org", "url": "https://${base.host}:${base.port}", "port": 8080}
        layers = [{"base": base, "services": {f"s{index}": service(index) for index in range(count)}}]
        for _ in range(layer_count):
            changes = {}
            for _ in range(count // 3 + 1):
                change = {"retries": roll(9), "tags+": ["t%d" % roll(9)], "limits": {"cpu": roll(8)}}
                changes[f"s{roll(count)}"] = change
            layers.append({"services": changes})
        overrides = {f"services.s{roll(count)}.limits.cpu": roll(32) for _ in range(layer_count)}
        return [layers, overrides]

    return [call(2, 1), call(10, 2), call(40, 4), call(90, 7)]
