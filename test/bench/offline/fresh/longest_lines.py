"""The words of a text, wrapped into lines of a width, and the longest line."""


def longest_lines(text, width):
    lines = []
    line = ""
    for word in text.split():
        if line == "":
            line = word
        elif len(line) + 1 + len(word) <= width:
            line = line + " " + word
        else:
            lines.append(line)
            line = word
    if line != "":
        lines.append(line)
    longest = 0
    for each in lines:
        if len(each) > longest:
            longest = len(each)
    return lines, longest


def inputs():
    return [["the quick brown fox jumps over the lazy dog and runs away", 16], ["one two", 3]]
