import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rebased } from '../../../../daemon/engine/target/rebase.ts';
import { programSha } from '../../../../daemon/evolution/hash.ts';
import { loadTarget } from '../../../../daemon/evolution/target.ts';
import { openScene, recordsOf, request, summaryOf, text } from '../scene.ts';

const programOf = async (of: string) => (await loadTarget({ root: '/', path: 'busy.py', text: of, entry_fn: 'busy' })).program;
/** The user names the sum, and writes a line before the function. */
const edited = `# Counts.\n${text.replaceAll('total', 'amount')}`;
const added = `LIMIT = 1000\n${text.replace('    unused', '    note = 1\n    unused')}`;

describe('an edit of the file under a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-rebase-'));
    await writeFile(join(folder, 'busy.py'), text);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const asked = () =>
    request({
      target: { root: folder, path: 'busy.py', entry_fn: 'busy' },
      mutator: 'scripted',
      population: 3,
      deterministic: false,
      stop: { max_generations: 10_000, no_improve: 10_000 },
    });

  it('takes along a change whose lines still stand, wherever they are now, and no other', async () => {
    const [from, to, renamed] = [await programOf(text), await programOf(added), await programOf(edited)];
    const child = await programOf(text.replace('        total = total - 0\n', ''));
    const moved = rebased(from, to, child);
    assert.equal(moved?.files[0]?.text, added.replace('        total = total - 0\n', ''));
    assert.equal(moved?.spans[0]?.start, to.spans[0]?.start);
    assert.equal(rebased(from, renamed, child), undefined);
  });

  it('makes the run compare with the new text, and judges again what still applies', async () => {
    const scene = await openScene(folder, asked());
    while (scene.run.state.archive.champions().length < 4) await new Promise(setImmediate);
    await scene.run.pause(true);
    await writeFile(join(folder, 'busy.py'), added);
    const of = (type: string) => scene.events.filter((event) => event.type === type);
    while (of('rebased').length === 0) await new Promise(setImmediate);
    const [event] = scene.events.filter((one) => one.type === 'rebased');
    assert.ok(event !== undefined && event.carried.length > 0);
    const after = scene.events.indexOf(event);
    const judged = () => new Set(scene.events.slice(after).flatMap((one) => (one.type === 'judged' ? [one.sha256] : [])));
    while (!event.carried.every(({ sha256 }) => judged().has(sha256))) await new Promise(setImmediate);
    await scene.run.pause(false);
    while (scene.events.slice(after).filter((one) => one.type === 'inserted').length < 6) await new Promise(setImmediate);
    scene.run.stop();
    const summary = await summaryOf(scene);
    assert.equal(event.original, programSha(await programOf(added)));
    assert.ok(summary.best !== null && summary.output !== null);
    assert.match(await readFile(join(summary.output, 'busy.py'), 'utf8'), /^LIMIT = 1000/);
    for (const one of scene.events.slice(after))
      if (one.type === 'mutated') {
        const state = scene.run.state;
        const program = await recordsOf(folder).readProgram(state.known.get(one.sha256)?.object ?? one.object);
        assert.match(program.files[0]?.text ?? '', /^LIMIT = 1000/);
      }
    const state = await recordsOf(folder).load(summary.run);
    assert.deepEqual(state.archive.champions(), scene.run.state.archive.champions());
  });

  it('goes on with the old text while the new one is not a program, and with the next that is one', async () => {
    const scene = await openScene(folder, asked());
    while (scene.run.state.archive.champions().length < 2) await new Promise(setImmediate);
    await scene.run.pause(true);
    for (const [broken, why] of [
      [`${text}x = (\n`, /It does not parse: /],
      [text.replace('return total', 'return (('), /busy/],
      [text.replace('return total', ''), /it returns nothing/],
      [text.replace('def busy', 'def idle'), /busy/],
    ] as const) {
      await scene.run.edited(broken);
      assert.match(scene.run.notice ?? '', /^busy\.py was edited, and the run goes on with the text that it had before\. /);
      assert.match(scene.run.notice ?? '', why);
    }
    await scene.run.edited(text);
    assert.equal(scene.run.notice, undefined, 'the edit was taken back');
    await scene.run.edited('def');
    await scene.run.pause(false);
    const inserted = () => scene.events.filter(({ type }) => type === 'inserted').length;
    const before = inserted();
    while (inserted() < before + 3) await new Promise(setImmediate);
    assert.ok(!scene.events.some(({ type }) => type === 'rebased' || type === 'stopped'));
    await scene.run.edited(added);
    assert.equal(scene.run.notice, undefined);
    while (!scene.events.some(({ type }) => type === 'rebased')) await new Promise(setImmediate);
    scene.run.stop();
    assert.equal((await summaryOf(scene)).stopped, 'user');
  });

  it('is taken up again from a kill at any event after it', async () => {
    const scene = await openScene(folder, asked());
    while (scene.run.state.archive.champions().length < 4) await new Promise(setImmediate);
    await scene.run.edited(added);
    while (scene.events.filter(({ type }) => type === 'baseline').length < 2) await new Promise(setImmediate);
    while (scene.events.filter(({ type }) => type === 'judged').length < 2) await new Promise(setImmediate);
    scene.run.stop();
    const { run } = await summaryOf(scene);
    const lines = (await readFile(join(folder, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8')).trimEnd().split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"rebased"'));
    for (let kept = at + 1; kept < Math.min(lines.length - 1, at + 12); kept++) {
      const home = join(folder, `killed-${kept}`);
      await mkdir(join(home, '.peagen', 'runs', run), { recursive: true });
      await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
      await writeFile(join(home, '.peagen', 'runs', run, 'journal.jsonl'), `${lines.slice(0, kept).join('\n')}\n`);
      const resumed = await openScene(home, run);
      while (resumed.run.state.pending.size > 0 || !resumed.events.some(({ type }) => type === 'inserted'))
        await new Promise(setImmediate);
      resumed.run.stop();
      const { best } = await summaryOf(resumed);
      assert.equal(resumed.run.state.original.sha256, programSha(await programOf(added)), `after ${kept} events`);
      assert.ok(best !== null, `after ${kept} events`);
    }
  });
});
