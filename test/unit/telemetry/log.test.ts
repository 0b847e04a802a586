import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createLog, logTo } from '../../../daemon/telemetry/log.ts';

const Line = z.record(z.string(), z.unknown());

describe('the log', () => {
  const written: string[] = [];
  const log = logTo((line) => written.push(line), 'info', { pid: 7 });
  const last = () => Line.parse(JSON.parse(written.at(-1) ?? 'null'));
  beforeEach(() => {
    written.length = 0;
  });

  it('writes one line of JSON for each thing said, with what is bound to it', () => {
    log.child({ run: 'r1' }).child({ task: 't1' }).warn({ count: 2n }, 'twice\nover');
    assert.equal(written.length, 1);
    assert.match(written[0] ?? '', /^[^\n]+\n$/);
    const { time, ...rest } = last();
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
    assert.deepEqual(rest, { level: 40, pid: 7, run: 'r1', task: 't1', count: '2', msg: 'twice\nover' });
  });

  it('leaves out what is below its level', () => {
    log.debug('unheard');
    logTo((line) => written.push(line), 'silent', {}).error('unheard');
    assert.deepEqual(written, []);
  });

  it('tells an error with its code, its stack and what caused it', () => {
    const cause = new RangeError('too far');
    log.error({ err: Object.assign(new TypeError('no function', { cause }), { code: 'E1' }) }, 'failed');
    const { type, message, code, stack } = Line.parse(last()['err']);
    assert.deepEqual([type, message, code], ['TypeError', 'no function', 'E1']);
    assert.match(String(stack), /^TypeError: no function\n +at [\s\S]*\ncaused by: RangeError: too far\n +at /);
  });

  it('keeps secrets to itself, by their key and by their value', () => {
    process.env['PEAGEN_TEST_API_KEY'] = 'sk-very-secret-one';
    try {
      log.info({ backend: { headers: { authorization: 'Bearer x' }, apiKey: 'y' } }, 'asked with sk-very-secret-one');
    } finally {
      delete process.env['PEAGEN_TEST_API_KEY'];
    }
    const { backend, msg } = last();
    assert.deepEqual(backend, { headers: { authorization: '[redacted]' }, apiKey: '[redacted]' });
    assert.equal(msg, 'asked with [PEAGEN_TEST_API_KEY]');
  });

  it('writes what holds itself', () => {
    const ring: Record<string, unknown> = { name: 'ring' };
    ring['self'] = ring;
    log.info({ ring }, 'round');
    assert.deepEqual(last()['ring'], { name: 'ring', self: '[seen above]' });
  });

  it('is appended to a file, in a folder that it makes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'peagen-log-'));
    try {
      const file = join(folder, 'logs', 'daemon.log');
      createLog({ level: 'info', file }).info('first');
      createLog({ level: 'info', file }).info('second');
      const said = readFileSync(file, 'utf8').trim().split('\n');
      assert.deepEqual(
        said.map((line) => Line.parse(JSON.parse(line))['msg']),
        ['first', 'second'],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
