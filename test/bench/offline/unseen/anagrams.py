"""Words that are made of the same letters."""
import random


def anagrams(words):
    groups = []
    for word in words:
        key = "".join(sorted(word.lower()))
        found = False
        for group in groups:
            if "".join(sorted(group[0].lower())) == key:
                group.append(word)
                found = True
                break
        if not found:
            groups.append([word])
    return [group for group in groups if len(group) > 1]


def inputs():
    rng = random.Random(4)
    words = ["".join(rng.choice("abcde") for _ in range(rng.randrange(3, 7))) for _ in range(220)]
    return [[words], [["Listen", "silent", "enlist", "tin"]], [[]]]
