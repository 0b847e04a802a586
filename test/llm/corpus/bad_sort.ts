/** What a model might say about media/samples/bad_sort: steps that help, steps that help a little, and some that are wrong. */
import type { CorpusEdit, CorpusFunction } from '../corpus.ts';

export const badSortEdits: readonly CorpusEdit[] = [
  { say: 'one round is enough', search: '    rounds = 2\n', replace: '    rounds = 1\n' },
  {
    say: 'stop when a pass has swapped nothing',
    search: '            # A pass that swapped something must have changed the list.\n',
    replace:
      '            if swaps == 0:\n                break\n            # A pass that swapped something must have changed the list.\n',
  },
  {
    say: 'the end that has settled need not be compared again',
    search: '            for j in range(len(result) - 1):\n',
    replace: '            for j in range(len(result) - 1 - i):\n',
  },
  {
    say: 'compare neighbours instead of each against each',
    search: '        for j in range(i + 1, len(result)):\n            if result[i] > result[j]:\n',
    replace: '        for j in range(i + 1, min(i + 2, len(result))):\n            if result[i] > result[j]:\n',
  },
  {
    say: 'sum with the built-in function',
    search:
      '            total_before = 0\n            for value in before:\n                total_before = total_before + value\n',
    replace: '            total_before = sum(before)\n',
  },
  {
    say: 'sum with the built-in function, after the pass too',
    search: '            total_after = 0\n            for value in result:\n                total_after = total_after + value\n',
    replace: '            total_after = sum(result)\n',
  },
  {
    say: 'the comparisons are counted for nobody',
    search: '                comparisons = comparisons + 1\n',
    replace: '',
  },
  {
    say: 'swap without a third variable',
    search:
      '                    held = result[j]\n                    result[j] = result[j + 1]\n                    result[j + 1] = held\n',
    replace: '                    result[j], result[j + 1] = result[j + 1], result[j]\n',
  },
  {
    say: 'the settled end is in order by construction',
    search:
      '            for k in range(len(result) - 1 - i, len(result) - 1):\n                if result[k] > result[k + 1]:\n                    raise AssertionError("the settled end is out of order")\n',
    replace: '',
  },
  // Wrong: equal numbers trade places, a number is lost, the order is turned round.
  {
    say: 'swap equal ones too',
    search: '                if left > right:\n',
    replace: '                if left >= right:\n',
  },
  { say: 'copy faster', search: '    for item in list(items):\n', replace: '    for item in list(items)[:-1]:\n' },
  { say: 'return it', search: '    return result', replace: '    return result[::-1]' },
  // Does not parse.
  { say: 'one round, written shorter', search: '    rounds = 2\n', replace: '    rounds = (1\n' },
];

export const badSortFunctions: readonly CorpusFunction[] = [
  {
    say: 'insertion sort with an early end',
    code: `def bad_sort(items):
    """Return a new list with the numbers of \`items\` in ascending order."""
    result = list(items)
    for i in range(1, len(result)):
        held = result[i]
        key = float(held)
        j = i - 1
        while j >= 0 and float(result[j]) > key:
            result[j + 1] = result[j]
            j -= 1
        result[j + 1] = held
    return result`,
  },
  {
    say: 'binary insertion',
    code: `import bisect


def bad_sort(items):
    """Return a new list with the numbers of \`items\` in ascending order."""
    keys = []
    result = []
    for item in items:
        at = bisect.bisect_right(keys, float(item))
        keys.insert(at, float(item))
        result.insert(at, item)
    return result`,
  },
  {
    say: 'merge sort, n log n comparisons',
    code: `def bad_sort(items):
    """Return a new list with the numbers of \`items\` in ascending order."""
    result = list(items)
    width = 1
    while width < len(result):
        merged = []
        for start in range(0, len(result), 2 * width):
            left = result[start : start + width]
            right = result[start + width : start + 2 * width]
            i = j = 0
            while i < len(left) and j < len(right):
                if right[j] < left[i]:
                    merged.append(right[j])
                    j += 1
                else:
                    merged.append(left[i])
                    i += 1
            merged.extend(left[i:])
            merged.extend(right[j:])
        result = merged
        width *= 2
    return result`,
  },
  {
    say: 'the built-in stable sort',
    code: `def bad_sort(items):
    """Return a new list with the numbers of \`items\` in ascending order."""
    return sorted(items, key=float)`,
  },
  // Wrong: duplicates are lost.
  {
    say: 'sort the set',
    code: `def bad_sort(items):
    """Return a new list with the numbers of \`items\` in ascending order."""
    return sorted(set(items))`,
  },
];
