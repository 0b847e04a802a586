"""Renders templates with the machine's own Jinja2: one JSON request per line in, one JSON answer per line out.

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
    from jinja2 import DictLoader, TemplateError
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
        raise ValueError("split is asked of %r, which is no text" % (value,))
    return value.split(delimiter) if delimiter else value.split()


def render(request):
    environment = SandboxedEnvironment(loader=DictLoader(request["sources"]), autoescape=False)
    environment.filters["split"] = split
    environment.filters["make_plural"] = inflection(request["plural"])
    environment.filters["make_singular"] = inflection(request["singular"])
    texts = []
    size = 0
    for job in request["jobs"]:
        parts = []
        try:
            for part in environment.get_template(job["template"]).generate(json.loads(job["context"])):
                size += len(part)
                if size > request["limit"] * len(request["jobs"]):
                    return {"error": "its text is too large", "template": job["template"], "large": True}
                parts.append(part)
        except MemoryError:
            return {"error": "it needs more memory than a rendering may have", "template": job["template"], "large": True}
        except (TemplateError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = "" if line is None else " (line %d)" % line
            return {"error": "%s: %s%s" % (type(error).__name__, error, where), "template": job["template"]}
        texts.append("".join(parts))
    return {"texts": texts}


def main():
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(render(json.loads(line))), flush=True)


main()
