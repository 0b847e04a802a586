/**
 * Sorts a list of names with their scores for a results table. Grown by hand, with great caution
 * and little thought for speed. It has never returned a wrong answer.
 */

/**
 * Returns the entries in descending order of score. Entries of one score stand in the order of their
 * names; those that agree in both keep the order in which they came. The argument is not changed.
 */
export function badSort(entries) {
  // A deep enough copy: neither the list nor its entries are ours.
  const rows = [];
  for (const entry of entries.slice()) {
    rows.push({ name: entry.name, score: entry.score });
  }

  /** Below zero when `a` comes first, above zero when `b` does. */
  const compare = (a, b) => {
    const byScore = Number(b.score) - Number(a.score);
    if (byScore !== 0) {
      return byScore;
    }
    const first = String(a.name);
    const second = String(b.name);
    if (first === second) {
      return 0;
    }
    return first < second ? -1 : 1;
  };

  // Two rounds, since one of them was not enough before `compare` was mended.
  let comparisons = 0;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < rows.length; i++) {
      const before = [...rows];
      let swaps = 0;

      // Let the lowest of the remaining scores sink to the end.
      for (let j = 0; j < rows.length - 1; j++) {
        comparisons += 1;
        const order = compare(rows[j], rows[j + 1]);
        if (order > 0) {
          const held = rows[j];
          rows[j] = rows[j + 1];
          rows[j + 1] = held;
          swaps += 1;
        }
      }

      // What has sunk so far must be in order by now.
      for (let k = rows.length - 1 - i; k < rows.length - 1; k++) {
        if (compare(rows[k], rows[k + 1]) > 0) {
          throw new Error('the settled end is out of order');
        }
      }

      // Every row from before must still be there.
      let kept = 0;
      for (const row of before) {
        if (rows.includes(row)) {
          kept += 1;
        }
      }
      if (kept !== before.length) {
        throw new Error(`a row was lost in pass ${i} with ${swaps} swaps`);
      }
    }
  }

  // Each against each, to be sure.
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      if (compare(rows[i], rows[j]) > 0) {
        throw new Error(`the result is out of order after ${comparisons} comparisons`);
      }
    }
  }

  return rows;
}
