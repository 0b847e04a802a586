"""The lines of a text after a list of edits; an edit replaces a line, and one without a text deletes it."""


def merge_versions(text, edits):
    lines = text.split("\n")
    result = ""
    for number in range(len(lines)):
        line = lines[number]
        for edit in edits:
            if edit["line"] == number:
                line = edit["text"]
        if line is not None:
            result = result + line + "\n"
    return result


def inputs():
    text = "\n".join("line %d" % i for i in range(500))
    edits = [{"line": i * 37 % 700, "text": None if i % 3 == 0 else "new %d" % i} for i in range(200)]
    return [[text, edits], ["", []], ["a\nb", [{"line": 1, "text": None}, {"line": 0, "text": "c"}]]]
