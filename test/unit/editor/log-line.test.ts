import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import pino from 'pino';
import { readLogLine } from '../../../extension/client/log-line.ts';

describe("a line of the daemon's log", () => {
  let written = '';
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString();
      done();
    },
  });
  const log = pino({ level: 'debug', base: { pid: 7 } }, sink);
  const read = () => readLogLine(written);
  beforeEach(() => {
    written = '';
  });

  it('keeps its level', () => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      written = '';
      log[level]('said');
      assert.deepEqual(read(), { level, text: 'said' });
    }
    written = '';
    log.fatal('said');
    assert.equal(read()?.level, 'error');
  });

  it('keeps what was said of it, without what every line has', () => {
    log.info({ socket: '/run/x', clients: 2 }, 'listening');
    assert.deepEqual(read(), { level: 'info', text: 'listening {"socket":"/run/x","clients":2}' });
  });

  it('shows where an error came from', () => {
    log.error({ err: new TypeError('x is not a function') }, 'uncaught error');
    const { level, text = '' } = read() ?? {};
    assert.equal(level, 'error');
    assert.match(text, /^uncaught error\nTypeError: x is not a function\n +at /);
  });

  it('is a warning when it is not of the log itself: a process that failed wrote it', () => {
    assert.deepEqual(readLogLine('node: bad option: --x'), { level: 'warn', text: 'node: bad option: --x' });
    assert.equal(readLogLine('  '), undefined);
  });

  it('is read whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json()),
        (line) => readLogLine(line) === undefined || readLogLine(line)?.text !== undefined,
      ),
    );
  });
});
