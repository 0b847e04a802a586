"""The product of two matrices."""
import random


def matmul(a, b):
    rows, inner, columns = len(a), len(b), len(b[0])
    result = []
    for i in range(rows):
        row = []
        for j in range(columns):
            total = 0
            for k in range(inner):
                total = total + a[i][k] * b[k][j]
            row.append(total)
        result.append(row)
    return result


def inputs():
    rng = random.Random(6)
    make = lambda n, m: [[rng.randrange(10) for _ in range(m)] for _ in range(n)]
    return [[make(30, 30), make(30, 30)], [make(2, 3), make(3, 1)]]
