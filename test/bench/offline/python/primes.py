"""All prime numbers up to a limit."""


def primes(limit):
    found = []
    for candidate in range(2, limit + 1):
        is_prime = True
        for divisor in range(2, candidate):
            if candidate % divisor == 0:
                is_prime = False
        if is_prime:
            found.append(candidate)
    return found


def inputs():
    return [[400], [1], [2], [30]]
