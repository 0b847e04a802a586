import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Journal } from '../../../daemon/evolution/journal.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunEvent } from '../../../shared/run.ts';

const at = '2026-01-31T14:25:01.000Z';
const generation = (n: number): RunEvent => ({
  type: 'generation',
  at,
  generation: n,
  stats: { coverage: 1, qd_score: n, best: n },
});

describe('journal', () => {
  let dir: string;
  let file: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'peagen-journal-'));
    file = join(dir, 'journal.jsonl');
  });

  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('has the event on disk when an append resolves', async () => {
    const journal = await Journal.create(dir);
    await journal.append(generation(1));
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    assert.ok(line.startsWith(JSON.stringify(generation(1)).slice(0, -1)), line);
    await journal.close();
  });

  it('names a line in which one digit was changed, and a line that is missing', async () => {
    const journal = await Journal.create(dir);
    for (let i = 0; i < 12; i++) await journal.append(generation(i));
    await journal.close();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"generation":7,', '"generation":8,'));
    await assert.rejects(Journal.read(dir), /journal\.jsonl:8: the line was changed, .*its checksum is wrong/);
    await assert.rejects(Journal.reopen(dir), /journal\.jsonl:8:/);
    const lines = text.split('\n');
    await writeFile(file, [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
    await assert.rejects(Journal.read(dir), /journal\.jsonl:4: .*one before it is missing/);
    await writeFile(file, text.replace(/("generation":5,.*),"sum":"\w+"\}/, '$1}'));
    await assert.rejects(Journal.read(dir), /journal\.jsonl:6: .*has no checksum/);
  });

  it('reads neither a link nor a pipe in its place', async function () {
    if (process.platform === 'win32') this.skip();
    await symlink('/etc/hostname', file);
    await assert.rejects(Journal.read(dir), /Cannot read the journal .*ELOOP/);
    await rm(file);
    spawnSync('mkfifo', [file]);
    await assert.rejects(Journal.read(dir), /Cannot read the journal .*it is not a file/);
  });

  it('goes on with one that has no checksums, as version 0.1 wrote them, and then has them', async () => {
    await writeFile(file, [0, 1].map((i) => `${JSON.stringify(generation(i))}\n`).join(''));
    const journal = await Journal.reopen(dir);
    await journal.append(generation(2));
    await journal.close();
    const again = await Journal.reopen(dir);
    await again.append(generation(3));
    await again.close();
    assert.deepEqual(await Journal.read(dir), { events: [0, 1, 2, 3].map(generation) });
    await writeFile(file, (await readFile(file, 'utf8')).replace('"generation":2,', '"generation":1,'));
    await assert.rejects(Journal.read(dir), /journal\.jsonl:3:/);
  });

  it('keeps concurrent appends in the order of the calls, one line each', async () => {
    const journal = await Journal.create(dir);
    const events = Array.from({ length: 500 }, (_, i) => generation(i));
    await Promise.all(events.map((event) => journal.append(event)));
    await journal.close();
    assert.deepEqual(await Journal.read(dir), { events });
  });

  it('takes an append made by a listener of the one before', async () => {
    const journal = await Journal.create(dir);
    // Each append is made in the moment in which a flush ends.
    for (let i = 0; i < 50; i++) await journal.append(generation(i));
    await Promise.all([
      journal.append(generation(50)),
      journal.append(generation(51)).then(() => journal.append(generation(52))),
    ]);
    await journal.close();
    assert.equal((await Journal.read(dir)).events.length, 53);
  });

  it('drops a torn last line with a warning, wherever it is torn, and goes on behind the last whole one', async () => {
    const journal = await Journal.create(dir);
    for (const n of [1, 2, 3]) await journal.append(generation(n));
    await journal.close();
    const whole = (await stat(file)).size;
    const line = Buffer.from(`${JSON.stringify({ type: 'stopped', at, reason: 'user', detail: 'schön' })}\n`);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: line.length - 1 }), async (kept) => {
        await truncate(file, whole);
        await appendFile(file, line.subarray(0, kept));
        const { events, warning } = await Journal.read(dir);
        assert.equal(events.length, 3);
        assert.match(warning ?? '', /last line \(4\) is torn/);
        const again = await Journal.reopen(dir);
        await again.append(generation(4));
        await again.close();
        assert.deepEqual(await Journal.read(dir), { events: [1, 2, 3, 4].map(generation) });
      }),
      { numRuns: 30 },
    );
  });

  it('treats a last line of zeros, as a crashed file system leaves it, as torn', async () => {
    await writeFile(file, `${JSON.stringify(generation(1))}\n\0\0\0\0\0\0`);
    const { events, warning } = await Journal.read(dir);
    assert.equal(events.length, 1);
    assert.match(warning ?? '', /torn/);
  });

  it('names a malformed line in the middle, and an event it does not know', async () => {
    const good = JSON.stringify(generation(1));
    for (const bad of ['{"type":"gener', '', '{"type":"dance","at":"2026-01-31T14:25:01.000Z"}', '[]']) {
      await writeFile(file, `${good}\n${bad}\n${good}\n`);
      await assert.rejects(
        Journal.read(dir),
        (error) => error instanceof PeagenError && error.code === 'storage_failed' && error.message.includes('journal.jsonl:2:'),
      );
    }
    await writeFile(file, `${good}\n{"type":"dance","at":"2026-01-31T14:25:01.000Z"}\n`);
    await assert.rejects(Journal.read(dir), /journal\.jsonl:2:/);
  });

  it('refuses to start a journal where one is, and to read one where none is', async () => {
    await assert.rejects(Journal.read(dir), (error) => error instanceof PeagenError && error.code === 'not_found');
    const journal = await Journal.create(dir);
    await assert.rejects(Journal.create(dir), (error) => error instanceof PeagenError && error.code === 'conflict');
    await journal.close();
    await assert.rejects(journal.append(generation(1)), /closed/);
  });

  it('writes what was appended before it was closed', async () => {
    const journal = await Journal.create(dir);
    const appended = [1, 2, 3].map((n) => journal.append(generation(n)));
    await journal.close();
    await Promise.all(appended);
    assert.equal((await Journal.read(dir)).events.length, 3);
  });

  it('loses nothing it acknowledged when its process is killed', async () => {
    const script = `
      import { Journal } from ${JSON.stringify(new URL('../../../daemon/evolution/journal.ts', import.meta.url).href)};
      const journal = await Journal.create(${JSON.stringify(dir)});
      for (let n = 1; ; n++) {
        await Promise.all([0, 1, 2].map(async (k) => {
          const event = { type: 'generation', at: '${at}', generation: 3 * n + k, stats: { coverage: 0, qd_score: 0, best: null } };
          await journal.append(event);
          process.stdout.write(String(3 * n + k) + '\\n');
        }));
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = '';
    for await (const chunk of child.stdout) {
      heard += chunk;
      if (heard.split('\n').length > 40) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const acknowledged = heard.split('\n').slice(0, -1).map(Number);
    const { events } = await Journal.read(dir);
    const written = new Set(events.map((event) => (event.type === 'generation' ? event.generation : -1)));
    assert.ok(acknowledged.length >= 40);
    for (const n of acknowledged) assert.ok(written.has(n), `event ${n} was acknowledged and is gone`);
  });

  it('rejects an append that does not fit on the disk, leaves no torn line, and names the journal', function () {
    if (process.platform === 'win32') this.skip();
    // A limit on file size stands for a full disk: the write fails half-way through.
    const script = `
      import { Journal } from ${JSON.stringify(new URL('../../../daemon/evolution/journal.ts', import.meta.url).href)};
      process.on('SIGXFSZ', () => undefined);
      const journal = await Journal.create(${JSON.stringify(dir)});
      const event = (n, detail) => ({ type: 'stopped', at: '${at}', reason: 'user', detail: String(n) + detail });
      await journal.append(event(1, ''));
      const failed = await journal.append(event(2, 'x'.repeat(100_000))).catch((error) => error.code + ' ' + error.message);
      await journal.append(event(3, ''));
      await journal.close();
      console.log(failed);`;
    const command = `ulimit -f 8; exec "$0" --input-type=module -e "$1"`;
    const run = spawnSync('/bin/sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    assert.match(run.stdout, /^storage_failed Cannot write the journal .*journal\.jsonl: EFBIG/, run.stderr);
    return Journal.read(dir).then(({ events, warning }) => {
      assert.deepEqual(
        events.map((event) => event.type === 'stopped' && event.detail),
        ['1', '3'],
      );
      assert.equal(warning, undefined);
    });
  });
});
