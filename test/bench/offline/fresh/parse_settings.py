"""The sections and values of a settings file."""


def parse_settings(text):
    settings = {}
    section = "default"
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#") or line.startswith(";"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            continue
        name, separator, value = line.partition("=")
        if separator == "":
            continue
        value = value.strip()
        if value.lower() in ("yes", "true", "on"):
            value = True
        elif value.lower() in ("no", "false", "off"):
            value = False
        elif value.lstrip("-").isdigit():
            value = int(value)
        settings.setdefault(section, {})[name.strip()] = value
    return settings


def inputs():
    return [
        ["# main\nname = demo\n[server]\nport = 8080\ndebug = yes\n\n[paths]\nroot = /srv\ndepth = -2\n"],
        ["[a]\nx = 1\nbroken line\n; note\ny = off\n"],
    ]
