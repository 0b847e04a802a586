"""Sorts a list of numbers. Grown by hand, with great caution and little thought for speed.

Every part of it was added for a reason that seemed good on the day: the second
round after a bug report, the checks after another one, the counters for a
progress bar that has since gone. It has never returned a wrong answer.
"""


def bad_sort(items):
    """Return a new list with the numbers of `items` in ascending order.

    `items` may hold integers and floats; it is not changed. Equal numbers
    keep the order in which they came, so 1 and 1.0 do not trade places.
    """
    # Work on a copy: the caller's list is not ours.
    result = []
    for item in list(items):
        result.append(item)

    # Smallest and largest, for the check at the end.
    smallest = None
    largest = None
    for item in result:
        if smallest is None or item < smallest:
            smallest = item
        if largest is None or item > largest:
            largest = item

    # One round is enough in theory. A second one costs little when the
    # first has done its work.
    rounds = 2
    comparisons = 0
    for round_number in range(rounds):
        for i in range(len(result)):
            # Kept for the comparison below.
            before = list(result)
            swaps = 0

            # Let the largest of the remaining numbers rise to the end.
            for j in range(len(result) - 1):
                # Integers and floats are compared as floats.
                left = float(result[j])
                right = float(result[j + 1])
                comparisons = comparisons + 1
                if left > right:
                    held = result[j]
                    result[j] = result[j + 1]
                    result[j + 1] = held
                    swaps = swaps + 1

            # Whatever has risen so far must be in order by now.
            for k in range(len(result) - 1 - i, len(result) - 1):
                if result[k] > result[k + 1]:
                    raise AssertionError("the settled end is out of order")

            # A pass moves numbers about, it must not lose any.
            total_before = 0
            for value in before:
                total_before = total_before + value
            total_after = 0
            for value in result:
                total_after = total_after + value
            tolerance = 1e-9 * max(1, abs(total_before))
            if abs(total_before - total_after) > tolerance:
                raise AssertionError("a number was lost in pass " + str(i))

            # A pass that swapped something must have changed the list.
            if swaps > 0 and before == result:
                raise AssertionError("swaps were counted but nothing moved")

    # The numbers must be in order now, each against each.
    for i in range(len(result)):
        for j in range(i + 1, len(result)):
            if result[i] > result[j]:
                raise AssertionError("the result is out of order")

    # The ends must be the smallest and the largest number.
    if len(result) > 0:
        if result[0] != smallest:
            raise AssertionError("the smallest number is not at the start")
        if result[-1] != largest:
            raise AssertionError("the largest number is not at the end")

    return result
