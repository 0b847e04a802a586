import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exitStatusHelp } from '../../../daemon/cli/program.ts';
import { errorTable, exitStatuses, nearest, PeagenError } from '../../../shared/errors.ts';
import { readTracked, trackedFiles } from '../../prose.ts';

describe('PeagenError', () => {
  it('survives the wire', () => {
    const error = new PeagenError('not_found', 'No function "srot".', { hint: 'Did you mean "sort"?' });
    const back = PeagenError.fromJSON(JSON.parse(JSON.stringify(error)));
    assert.deepEqual([back.code, back.line, back.retryable], [error.code, error.line, error.retryable]);
  });

  it('ends what a program wrote before it says what to do', () => {
    assert.equal(
      new PeagenError('internal', 'sh: x: not found\n', { hint: 'Install it.' }).line,
      'sh: x: not found. Install it.',
    );
    assert.equal(new PeagenError('internal', 'It is gone.', { hint: 'Look.' }).line, 'It is gone. Look.');
  });

  it('is one line, whatever the message holds', () => {
    fc.assert(fc.property(fc.string(), (text) => !new PeagenError('internal', text, { hint: text }).line.includes('\n')));
  });
});

describe('the exit status', () => {
  const [sentence = ''] = /The exit status is [^(]*/.exec(readTracked('README.md').replaceAll(/\s+/g, ' ')) ?? [];

  it('of every kind is in the README and in --help, in the same words', () => {
    const meanings = Object.entries(exitStatuses).map(([status, meaning]) => `${status} for ${meaning}`);
    assert.equal(sentence.trim(), `The exit status is ${meanings.slice(0, -1).join(', ')}, and ${meanings.at(-1)}`);
    for (const [status, meaning] of Object.entries(exitStatuses))
      assert.ok(exitStatusHelp().includes(`\n  ${status.padEnd(4)} ${meaning}`), status);
  });

  it('of every error is in --help', () => {
    const lines = exitStatusHelp().split('\n');
    for (const [code, { exit }] of Object.entries(errorTable)) {
      const line = lines.find((each) => each.includes(code.replaceAll('_', ' ')));
      assert.equal(Number.parseInt(line ?? '', 10), exit, code);
    }
  });

  it('is in the table wherever a process ends with a number', () => {
    const product = trackedFiles('daemon').filter((path) => path.endsWith('.ts'));
    const ends = product.flatMap((path) => [...readTracked(path).matchAll(/process\.exit(?:\(|Code = )([^;)]*)/g)]);
    const numbers = ends.flatMap(([, value = '']) => value.match(/\d+/g) ?? []).map(Number);
    assert.ok(numbers.length > 8, `${numbers}`);
    assert.deepEqual(
      numbers.filter((status) => !(status in exitStatuses)),
      [],
    );
  });
});

describe('nearest', () => {
  it('finds a name through a typing mistake', () => {
    assert.equal(nearest('max_generation', ['no_improve', 'max_generations']), 'max_generations');
    assert.equal(nearest('srot', ['sort', 'merge']), 'sort');
  });

  it('finds nothing for a name unlike all others', () => {
    assert.equal(nearest('xyzzy', ['sort', 'merge']), undefined);
  });
});
