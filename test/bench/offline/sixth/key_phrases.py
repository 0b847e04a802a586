"""Phrases that a text repeats, as for a list of tags."""

import re

COMMON = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is",
    "it", "of", "on", "or", "that", "the", "this", "to", "was", "were", "will", "with",
]


def sentences_of(text):
    return [part for part in re.split(r"[.!?;:\n]+", text) if part.strip()]


def words_of(sentence):
    """Lower-case words; an apostrophe or hyphen inside a word belongs to it."""
    return re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", sentence.lower())


def phrases_in(words, longest, common):
    """All runs of words that neither begin nor end with a common word."""
    found = []
    for start in range(len(words)):
        for length in range(1, longest + 1):
            run = words[start:start + length]
            if len(run) < length or run[0] in common or run[-1] in common:
                continue
            if length == 1 and len(run[0]) < 3:
                continue
            found.append(" ".join(run))
    return found


def is_part(phrase, other):
    return phrase != other and f" {phrase} " in f" {other} "


def key_phrases(text, longest=3, at_least=2, more_common=None, most=10):
    """Repeated phrases with their weight; one that only occurs within a longer one is left out."""
    if longest < 1:
        raise ValueError("a phrase has at least one word")
    common = COMMON + [word.lower() for word in more_common or []]
    sentences = [words_of(sentence) for sentence in sentences_of(text)]
    counts = {}
    first = {}
    for number, words in enumerate(sentences):
        for phrase in phrases_in(words, longest, common):
            counts[phrase] = counts.get(phrase, 0) + 1
            first.setdefault(phrase, number)
    repeated = [phrase for phrase in counts if counts[phrase] >= at_least]
    kept = []
    for phrase in repeated:
        covered = False
        for other in repeated:
            if counts[other] == counts[phrase] and is_part(phrase, other):
                covered = True
        if not covered:
            kept.append(phrase)
    result = []
    for phrase in kept:
        length = len(phrase.split(" "))
        # A long phrase says more; one near the start of the text probably names its subject.
        weight = counts[phrase] * (1 + 0.5 * (length - 1))
        if first[phrase] < len(sentences) / 10:
            weight *= 1.25
        result.append({"phrase": phrase, "count": counts[phrase], "weight": round(weight, 3)})
    result.sort(key=lambda entry: (-entry["weight"], entry["phrase"]))
    return result[:most]


def inputs():
    state = 44

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    stems = ["water", "rate", "field", "pump", "north", "river", "test", "sample", "winter", "gauge", "valley", "level"]
    ends = ["", "s", "ing", "ed", "-bed", "er"]

    def word():
        if roll(3) == 0:
            return COMMON[roll(len(COMMON))]
        return stems[roll(len(stems))] + ends[min(roll(6), roll(6))]

    def call(count):
        return [" ".join(" ".join(word() for _ in range(5 + roll(12))).capitalize() + "." for _ in range(count))]

    return [call(2), call(20), call(90), call(320)]
