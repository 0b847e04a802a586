def parse_value(text):
    """Turn the text after the equals sign into a bool, number, list or string."""
    lowered = text.lower()
    if lowered in ("true", "yes", "on"):
        return True
    if lowered in ("false", "no", "off"):
        return False
    if lowered in ("", "none", "null"):
        return None
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        if not inner:
            return []
        return [parse_value(item.strip()) for item in inner.split(",")]
    digits = text[1:] if text[0] in "+-" else text
    if digits.isascii() and digits.isdigit():
        return int(text)
    whole, dot, fraction = digits.partition(".")
    if dot and (whole + fraction).isascii() and (whole + fraction).isdigit():
        return float(text)
    return text


def parse_config(text):
    """Parse an ini-like configuration.

    Sections may be nested with dots, as in [server.tls]. Comments start with
    # or ; at the beginning of a line. A line ending in a backslash goes on in
    the next one. Returns the settings and a list of problems with their line
    numbers; later values win over earlier ones.
    """
    settings = {}
    problems = []
    section = settings
    pending = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = pending + raw.strip()
        pending = ""
        if not line or line[0] in "#;":
            continue
        if line.endswith("\\"):
            pending = line[:-1].rstrip() + " "
            continue
        if line.startswith("["):
            if not line.endswith("]") or len(line) == 2:
                problems.append({"line": number, "message": "bad section header"})
                continue
            section = settings
            for name in line[1:-1].split("."):
                child = section.get(name.strip())
                if not isinstance(child, dict):
                    child = section[name.strip()] = {}
                section = child
            continue
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals or not key:
            problems.append({"line": number, "message": "expected key = value"})
            continue
        section[key] = parse_value(value.strip())
    return {"settings": settings, "problems": problems}


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    keys = ["host", "port", "level", "title", "ratio", "cache", "limit", "retries"]
    values = ["yes", "off", "True", "none", "", "-17", "4762", "8.77", '"quoted text"', "[a, b, 3, 2.5]", "/var/lib/app", "plain value"]

    def settings(sections):
        lines = ["# generated settings"]
        for number in range(sections):
            lines += ["", f"[{['server', 'db', 'mail', 'jobs'][draw(4)]}.{['main', 'log', 'tls'][draw(3)]}{number}]"]
            for at in range(4 + draw(28)):
                line = f"{keys[draw(8)]}{at if draw(2) else ''} = {values[draw(12)]}"
                lines.append(["orphan line", "; a note", line + ", \\\n  more"][draw(3)] if draw(14) == 0 else line)
        return "\n".join(lines) + "\n"

    small = "name = demo\ndebug=yes\n[server]\nport = 8080\n[server.tls]\nenabled = off\n"
    return [[small], [settings(4)], [settings(30)], [settings(120)]]
