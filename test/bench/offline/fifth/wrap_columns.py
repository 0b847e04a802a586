"""Sets a text in columns of equal width for a printed bulletin."""


def split_long(word, width):
    """Cuts a word that is wider than the column, with a hyphen at each cut."""
    parts = []
    while len(word) > width:
        parts.append(word[:width - 1] + "-")
        word = word[width - 1:]
    parts.append(word)
    return parts


def justify(words, width):
    if len(words) == 1:
        return words[0].ljust(width)
    spaces = width - sum(len(word) for word in words)
    small, extra = divmod(spaces, len(words) - 1)
    line = words[0]
    for index, word in enumerate(words[1:]):
        line += " " * (small + (1 if index < extra else 0)) + word
    return line


def align(words, width, mode, last):
    text = " ".join(words)
    if mode == "right":
        return text.rjust(width)
    if mode == "center":
        return text.center(width)
    if mode == "justify" and not last:
        return justify(words, width)
    return text.ljust(width)


def wrap_paragraph(paragraph, width, mode):
    lines = []
    current = []
    for word in paragraph.split():
        for part in split_long(word, width):
            if current and len(" ".join(current + [part])) > width:
                lines.append(align(current, width, mode, False))
                current = []
            current.append(part)
    if current:
        lines.append(align(current, width, mode, True))
    return lines


def wrap_columns(text, width, columns=1, mode="left"):
    if width < 2 or columns < 1:
        raise ValueError("columns need a width of at least 2")
    lines = []
    for paragraph in text.split("\n\n"):
        wrapped = wrap_paragraph(paragraph, width, mode)
        if lines and wrapped:
            lines.append(" " * width)
        lines += wrapped

    height = (len(lines) + columns - 1) // columns
    rows = []
    for row in range(height):
        cells = []
        for column in range(columns):
            position = column * height + row
            cells.append(lines[position] if position < len(lines) else "")
        rows.append(" | ".join(cells).rstrip())
    return rows


def inputs():
    seed = 3344

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    words = ["the", "village", "hall", "will", "be", "closed", "on", "Saturday", "for", "repairs;", "a", "new",
             "neighbourhood-association", "meets", "at", "noon", "Please", "bring", "tools", "and", "gloves."]
    calls = []
    for count, width, columns, mode in [
        (3, 12, 1, "left"), (80, 20, 2, "justify"), (500, 16, 3, "center"), (2200, 34, 3, "justify"),
    ]:
        text = ""
        for number in range(count):
            text += words[below(len(words))]
            text += "\n\n" if below(40) == 0 else "\n" if below(12) == 0 else " "
        calls.append([text, width, columns, mode])
    return calls
