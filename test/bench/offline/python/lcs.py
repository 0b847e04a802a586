"""The length of the longest common subsequence of two strings."""
import random


def lcs(a, b):
    table = []
    for i in range(len(a) + 1):
        row = []
        for j in range(len(b) + 1):
            row.append(0)
        table.append(row)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[len(a)][len(b)]


def inputs():
    rng = random.Random(5)
    make = lambda n: "".join(rng.choice("abcd") for _ in range(n))
    return [[make(120), make(120)], ["", "abc"], ["abc", "ac"]]
