import assert from 'node:assert/strict';
import type { LogOutputChannel } from 'vscode';
import { keepRecent } from '../../../extension/log.ts';

describe("the window's log", () => {
  const said: unknown[][] = [];
  const say = (...what: unknown[]) => void said.push(what);
  // The part of a channel that is used here.
  const channel = { name: 'Peagen', trace: say, info: say, warn: say, error: say } as unknown as LogOutputChannel;
  beforeEach(() => {
    said.length = 0;
  });

  it('passes everything on, and keeps the latest lines with their levels', () => {
    const { channel: log, recent } = keepRecent(channel, 2);
    log.info('one');
    log.warn('two', 2);
    log.error(new Error('three'));
    assert.deepEqual(said.slice(0, 2), [['one'], ['two', 2]]);
    assert.equal(recent().length, 2);
    assert.equal(recent()[0], '[warn] two 2');
    assert.match(recent()[1] ?? '', /^\[error\] Error: three\n +at /);
  });

  it('keeps none of the traffic, in which secrets travel', () => {
    const { channel: log, recent } = keepRecent(channel);
    log.trace('Sending request peagen/choose {"secrets":{"KEY":"sk"}}');
    assert.equal(said.length, 1);
    assert.deepEqual(recent(), []);
    assert.equal(log.name, 'Peagen');
  });
});
