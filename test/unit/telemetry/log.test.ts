import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createLog } from '../../../daemon/telemetry/log.ts';

const Line = z.record(z.string(), z.unknown());

describe('the log', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'peagen-log-'));
    file = join(folder, 'logs', 'daemon.log');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Line.parse(JSON.parse(line)));

  it('is a line of JSON for each thing said, with what is bound to it, and appended to', () => {
    createLog({ level: 'info', file }).child({ run: 'r1' }).child({ task: 't1' }).warn({ count: 2 }, 'twice\nover');
    createLog({ level: 'info', file }).debug('unheard');
    createLog({ level: 'info', file }).info('again');
    const [first, second, ...more] = lines();
    assert.deepEqual([first?.['run'], first?.['task'], first?.['count'], first?.['msg']], ['r1', 't1', 2, 'twice\nover']);
    assert.ok(Math.abs(Date.parse(String(first?.['time'])) - Date.now()) < 60_000);
    assert.deepEqual([second?.['msg'], more], ['again', []]);
  });

  it('holds no character that steers a terminal, whatever was said', () => {
    createLog({ level: 'info', file }).info({ text: 'a\u009b2Jb\u202ec' }, 'red \u001b[31m\u007f');
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /(?!\n)\p{Cc}|\u202e/u);
    assert.deepEqual([lines()[0]?.['text'], lines()[0]?.['msg']], ['a\u009b2Jb\u202ec', 'red \u001b[31m\u007f']);
  });

  it('logs an error with its code, its stack and what caused it', () => {
    const cause = new RangeError('too far');
    const err = Object.assign(new TypeError('no function', { cause }), { code: 'E1' });
    createLog({ level: 'info', file }).error({ err }, 'failed');
    const { code, stack } = Line.parse(lines()[0]?.['err']);
    assert.equal(code, 'E1');
    assert.match(String(stack), /^TypeError: no function\n +at [\s\S]*\ncaused by: RangeError: too far\n +at /);
  });

  it('keeps secrets to itself, by their key and by their value', () => {
    process.env['PEAGEN_TEST_API_KEY'] = 'sk-very-secret-one';
    try {
      const said = { backend: { headers: { authorization: 'Bearer x' }, apiKey: 'y' } };
      createLog({ level: 'info', file }).info(said, 'asked with sk-very-secret-one');
    } finally {
      delete process.env['PEAGEN_TEST_API_KEY'];
    }
    const [line] = lines();
    assert.deepEqual(line?.['backend'], { headers: { authorization: '[redacted]' }, apiKey: '[redacted]' });
    assert.equal(line?.['msg'], 'asked with [PEAGEN_TEST_API_KEY]');
  });
});
