import re


def same(old_line, new_line, ignore_space):
    if ignore_space:
        return re.sub(r"\s+", " ", old_line).strip() == re.sub(r"\s+", " ", new_line).strip()
    return old_line == new_line


def edit_script(old, new, ignore_space):
    """Pairs of a sign and a line, by a longest common subsequence."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if same(old[i], new[j], ignore_space):
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])

    script = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and same(old[i], new[j], ignore_space):
            script.append((" ", new[j]))
            i, j = i + 1, j + 1
        elif j == len(new) or (i < len(old) and lengths[i + 1][j] >= lengths[i][j + 1]):
            script.append(("-", old[i]))
            i += 1
        else:
            script.append(("+", new[j]))
            j += 1
    return script


def diff_lines(old_text, new_text, context=3, ignore_space=False):
    """Differences of two texts, with some lines of context around each change."""
    script = edit_script(old_text.splitlines(), new_text.splitlines(), ignore_space)
    changed = [at for at, (sign, _) in enumerate(script) if sign != " "]

    hunks = []
    last_shown = None
    for at, (sign, line) in enumerate(script):
        if not any(abs(at - change) <= context for change in changed):
            continue
        if last_shown is None or at > last_shown + 1:
            old_start = 1 + sum(1 for s, _ in script[:at] if s != "+")
            new_start = 1 + sum(1 for s, _ in script[:at] if s != "-")
            hunks.append({"old_start": old_start, "new_start": new_start, "lines": []})
        hunks[-1]["lines"].append(sign + line)
        last_shown = at

    added = sum(1 for sign, _ in script if sign == "+")
    removed = sum(1 for sign, _ in script if sign == "-")
    return {"hunks": hunks, "added": added, "removed": removed}


def inputs():
    state = 13

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def line():
        words = ["if", "the", "order", "is", "paid", "return", "total", "else", "raise", "stock"]
        return "  " * draw(3) + " ".join(words[draw(10)] for _ in range(1 + draw(5)))

    def changed(lines):
        result = []
        for text in lines:
            chance = draw(12)
            if chance == 0:
                continue
            result.append(text + " now" if chance == 1 else text.replace(" ", "  ") if chance == 2 else text)
            if chance == 3:
                result.append(line())
        return result

    def call(count):
        lines = [line() for _ in range(count)]
        return ["\n".join(lines), "\n".join(changed(lines))]

    return [call(5), [*call(20), 1], [*call(28), 2, True], call(120)]
