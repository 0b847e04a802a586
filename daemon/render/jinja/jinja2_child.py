"""Renders templates with the machine's own Jinja2: one JSON request per line in, one JSON answer per job and line out.

The templates are data of somebody else: they run in Jinja2's sandbox, see no file, and memory is bounded.
"""

import json
import re
import sys

try:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, ValueError, OSError):
    pass

try:
    from jinja2 import FunctionLoader, TemplateError
    from jinja2.sandbox import SandboxedEnvironment
except ImportError as error:
    print(json.dumps({"missing": str(error)}), flush=True)
    sys.exit(0)


def inflection(rules):
    compiled = [(re.compile(pattern), re.sub(r"\$(\d)", r"\\\1", text)) for pattern, text in rules]

    def inflected(word):
        word = str(word)
        if not word:
            return word
        for pattern, text in compiled:
            if pattern.search(word):
                return pattern.sub(text, word, count=1)
        return word

    return inflected


def split(value, delimiter=None):
    if not isinstance(value, str):
        raise ValueError("split is asked of %r, which is not a text" % (value,))
    return value.split(delimiter) if delimiter else value.split()


def plain_name(name):
    """As Jinja2 reads the name of a file: ./site//page is site/page."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def render(request):
    sources = {plain_name(name): text for name, text in request["sources"].items()}
    loader = FunctionLoader(lambda name: sources.get(plain_name(name)))
    environment = SandboxedEnvironment(loader=loader, autoescape=False)
    environment.filters["split"] = split
    environment.filters["make_plural"] = inflection(request["plural"])
    environment.filters["make_singular"] = inflection(request["singular"])
    shared = json.loads(request["shared"])
    size = 0
    for job in request["jobs"]:
        parts = []
        try:
            own = 0
            for part in environment.get_template(job["template"]).generate({**shared, **json.loads(job["context"])}):
                own += len(part)
                if own > request["limit"]:
                    yield {"error": "its text is too large", "template": job["template"], "large": True}
                    return
                parts.append(part)
        except MemoryError:
            yield {"error": "it needs more memory than a rendering may have", "template": job["template"], "large": True}
            return
        except (TemplateError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = "" if line is None else " (line %d)" % line
            yield {"error": "%s: %s%s" % (type(error).__name__, error, where), "template": job["template"]}
            continue
        yield {"text": "".join(parts)}
        size += own
        if size > request["limit"]:
            return


def main():
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        for answer in render(json.loads(line)):
            print(json.dumps(answer), flush=True)
        print(json.dumps({"done": True}), flush=True)


main()
