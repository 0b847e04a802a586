"""The place of each player: as many are before it as have a higher score, and one."""
import random


def rank_scores(scores):
    ranks = []
    for score in scores:
        higher = 0
        for other in scores:
            if other > score:
                higher = higher + 1
        ranks.append(higher + 1)
    return ranks


def inputs():
    rng = random.Random(5)
    return [[[rng.randrange(300) for _ in range(500)]], [[]], [[3, 1, 3]]]
