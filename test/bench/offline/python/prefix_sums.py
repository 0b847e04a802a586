"""The balance of an account after each booking, and its highest value."""
import random


def balances(bookings):
    result = []
    for i in range(len(bookings)):
        total = 0
        for j in range(i + 1):
            total += bookings[j]
        result.append(total)
    highest = max(result) if result else 0
    return {"balances": result, "highest": highest}


def inputs():
    rng = random.Random(3)
    return [[[rng.randrange(-500, 500) for _ in range(500)]], [[]], [[7]]]
