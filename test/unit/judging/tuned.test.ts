/** Numbers that were chosen by trying stand in one table. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../../../daemon/judging/tuned.ts';

const judging = join(import.meta.dirname, '..', '..', '..', 'daemon', 'judging');
/** What only bounds a cost, and what nobody chose: quantiles, the statuses of a shell, the alphabet, samples of values. */
const allowed =
  /^(?:MOST|LEAST|LARGEST)(?:_|$)|^(?:TAIL|INTERVAL|MEDIAN_LOSS|MAD_TO_SD|QUANTILES|NORMAL|notRun|LETTERS|WIDE|ints|whole|DAY_MS|stepsMs|none|cutShort)$/;

describe('the tuned numbers', () => {
  it('are 26, each with its unit, reason and benchmark', () => {
    const rows = Object.values(table);
    assert.equal(rows.length, 26);
    for (const { value, unit, why, bench } of rows) assert.ok(value > 0 && unit !== '' && why !== '' && bench.length > 0);
  });

  it('stand nowhere else where calls are made up, and speed and forgery are judged', () => {
    const found = globSync('{inputs,timing,forgery,command}/**/*.ts', { cwd: judging }).flatMap((file) => {
      const text = readFileSync(join(judging, file), 'utf8');
      const declared = text.matchAll(/^(?:export )?const (\[[^\]]+\]|\w+)(?:: [^=]+)? = ([^;]*);/gm);
      return [...declared]
        .filter(([, , value = '']) => /^[[{]?\s*(?:\w+: )?-?\d/.test(value) && !/tuned\.|\bFEWEST\b/.test(value))
        .flatMap(([, names = '']) => names.replaceAll(/[[\]\s]/g, '').split(','))
        .filter((name) => !allowed.test(name))
        .map((name) => `${file}: ${name}`);
    });
    assert.deepEqual(found, []);
  });
});
