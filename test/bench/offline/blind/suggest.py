"""The known words that are most like a mistyped one."""


def suggest(words, known, limit):
    result = {}
    for word in words:
        word = word.lower()
        if word in known:
            continue
        candidates = [each for each in known if distance(word, each) <= limit]
        candidates.sort(key=lambda each: (distance(word, each), each))
        result[word] = candidates[:3]
    return result


def distance(a, b):
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        rows[i][0] = i
    for j in range(len(b) + 1):
        rows[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                cost = 0
            else:
                cost = 1
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
    return rows[len(a)][len(b)]


def inputs():
    return [
        [["recieve", "adress", "house", "Recieve"], ["receive", "address", "house", "horse", "relieve", "dress"], 2],
        [["tset"], ["test", "set", "tests"], 1],
    ]
