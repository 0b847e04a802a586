"""Works out a small spreadsheet with formulas such as =A1*2+SUM(B1:B4)-3."""

import re

PART = re.compile(r"([-+*/]?)\s*(?:(\d+(?:\.\d+)?)|(SUM|MIN|MAX|COUNT)\(([A-Z])(\d+):([A-Z])(\d+)\)|([A-Z]\d+))\s*")


def is_label(content):
    return content is None or isinstance(content, str) and not content.startswith("=")


def range_values(cells, path, left, top, right, bottom):
    values = []
    for column in range(ord(left), ord(right) + 1):
        for row in range(int(top), int(bottom) + 1):
            name = chr(column) + str(row)
            if not is_label(cells.get(name)):
                values.append(value_of(cells, name, path))
    return values


def operand(cells, path, match):
    _, number, function, left, top, right, bottom, cell = match.groups()
    if number:
        return float(number) if "." in number else int(number)
    if cell:
        return value_of(cells, cell, path)
    values = range_values(cells, path, left, top, right, bottom)
    if function == "COUNT":
        return len(values)
    if function == "SUM":
        return sum(values)
    return min(values, default=0) if function == "MIN" else max(values, default=0)


def value_of(cells, name, path):
    if name in path:
        raise ValueError("#CYCLE")
    content = cells.get(name)
    if is_label(content):
        if content:
            raise ValueError("#VALUE")
        return 0
    if not isinstance(content, str):
        return content

    # Products bind more tightly, so the sum is kept as a list of its terms.
    terms = []
    formula = content[1:].strip()
    position = 0
    while position < len(formula) or not terms:
        match = PART.match(formula, position)
        if match is None or (not match.group(1)) != (not terms):
            raise ValueError("#SYNTAX")
        value = operand(cells, path + [name], match)
        if match.group(1) == "*":
            terms[-1] *= value
        elif match.group(1) == "/":
            if value == 0:
                raise ValueError("#DIV/0")
            terms[-1] /= value
        else:
            terms.append(-value if match.group(1) == "-" else value)
        position = match.end()
    return sum(terms)


def evaluate_sheet(cells):
    result = {}
    for name, content in cells.items():
        try:
            result[name] = content if is_label(content) else value_of(cells, name, [])
        except ValueError as error:
            result[name] = str(error)
    return result


def inputs():
    seed = 61

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    calls = []
    for rows in [1, 4, 12, 24]:
        cells = {"A0": "Amount", "B0": "Balance", "C0": None}
        for row in range(1, rows + 1):
            if below(8):
                cells[f"A{row}"] = below(500) - 100
            cells[f"B{row}"] = f"=B{row - 1}+A{row}" if row > 1 else "=A1"
            cells[f"C{row}"] = [
                f"=A{row}*{below(5)}.5 - 2", f"=SUM(A1:A{row})/COUNT(A1:A{row})", f"=MAX(A1:A{rows})-A{row}",
                "note", f"=A{row}/A{below(row + 2)}", f"=C{1 + below(rows)}", "=2+",
            ][below(7)]
        cells["D1"] = f"=SUM(A1:B{rows})"
        calls.append([cells])
    return calls
