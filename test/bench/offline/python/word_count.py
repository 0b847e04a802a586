"""How often each word occurs, most frequent first."""
import random


def word_count(text):
    words = text.lower().split()
    unique = []
    for word in words:
        if word not in unique:
            unique.append(word)
    counts = []
    for word in unique:
        counts.append([word, words.count(word)])
    counts.sort(key=lambda pair: (-pair[1], pair[0]))
    return counts


def inputs():
    rng = random.Random(4)
    text = " ".join("word%d" % rng.randrange(400) for _ in range(1500))
    return [[text], [""], ["b a b"]]
