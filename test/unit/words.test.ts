import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaveWord, onWord } from '../../daemon/cli/words.ts';
import { PeagenError } from '../../shared/errors.ts';

describe('words to a run that another command line works on', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-words-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are heard once each, in order, and leave nothing behind', async () => {
    const heard: string[] = [];
    const release = onWord(folder, (word) => heard.push(word));
    try {
      for (const word of ['pause', 'unpause', 'stop'] as const) await leaveWord(folder, word, 60_000);
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          if (heard.length < 3) return;
          clearInterval(timer);
          resolve();
        }, 5);
      });
    } finally {
      release();
    }
    assert.deepEqual(heard, ['pause', 'unpause', 'stop']);
    assert.equal(existsSync(join(folder, 'word')), false);
  });

  it('are taken back when nobody listens', async () => {
    await assert.rejects(leaveWord(folder, 'stop', 50), (error) => error instanceof PeagenError && error.code === 'timeout');
    assert.equal(existsSync(join(folder, 'word')), false);
  });

  it('are not heard when they were left for an earlier process, or mean nothing', async () => {
    const heard: string[] = [];
    await writeFile(join(folder, 'word'), 'stop');
    await utimes(join(folder, 'word'), new Date(0), new Date(0));
    const release = onWord(folder, (word) => heard.push(word));
    try {
      const gone = async () => {
        while (existsSync(join(folder, 'word'))) await new Promise((resolve) => setImmediate(resolve));
      };
      await gone();
      await writeFile(join(folder, 'word'), 'delete everything');
      await gone();
      await leaveWord(folder, 'pause', 60_000);
      while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      release();
    }
    assert.deepEqual(heard, ['pause']);
  });
});
