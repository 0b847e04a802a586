import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../../shared/run.ts';
import { openScene, recordsOf, request, type Scene, summaryOf, text } from './scene.ts';

const long = request({ mutator: 'structural', population: 3, stop: { max_generations: 200 } });
const edit = text.replace('        total = total - 0\n', '');

describe('a user in a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-steering-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const happened = async (scene: Scene, what: (event: RunEvent) => boolean) => {
    while (!scene.events.some(what)) await new Promise(setImmediate);
  };
  const inserted = (count: number) => (scene: Scene) => scene.events.filter((event) => event.type === 'inserted').length >= count;
  async function opened(enough = inserted(3), asked = long): Promise<Scene> {
    const scene = await openScene(folder, asked);
    while (!enough(scene)) await new Promise(setImmediate);
    return scene;
  }

  it('enters an edit as a candidate with its lineage, and reports its outcome', async () => {
    const scene = await opened();
    const sha256 = await scene.run.submit(edit, undefined);
    await happened(scene, (event) => event.type === 'judged' && event.sha256 === sha256);
    scene.run.stop();
    await summaryOf(scene);
    const judged = scene.events.find((event) => event.type === 'judged');
    assert.ok(judged?.outcome.kind === 'correct' && (judged.fitness ?? 0) > 1);
    const state = await recordsOf(folder).load(scene.run.id);
    const known = state.known.get(sha256);
    assert.deepEqual(known?.origin, {
      parents: [state.original.sha256],
      mutator: 'user',
      summary: 'own edit: 1 line becomes 0 lines',
    });
    assert.equal(state.pending.size, 0);
  });

  it('announces an edit that nothing beats', async () => {
    const scene = await opened(inserted(1), request({ mutator: 'scripted', population: 2, stop: { max_generations: 200 } }));
    const shortest = '\ndef busy(items):\n    return sum(items)\n';
    const sha256 = await scene.run.submit(shortest, undefined);
    await happened(scene, (event) => event.type === 'judged');
    scene.run.stop();
    assert.equal((await summaryOf(scene)).best?.sha256, sha256);
  });

  it('refuses an edit that changes other parts, does not parse, changes nothing, or was made before', async () => {
    const scene = await opened();
    const refused = (edited: string, code: string, why: RegExp) =>
      assert.rejects(scene.run.submit(edited, undefined), { code, message: why });
    await refused(`import os\n${text}`, 'invalid_input', /outside the part that this run evolves \(at "import os"\)/);
    await refused('', 'invalid_input', /outside the part/);
    await refused(text.replace('total = 0', 'total = ('), 'invalid_input', /does not parse/);
    await refused(text.replace('total = 0', 'total = 0  # none yet'), 'invalid_input', /nothing but comments/);
    await scene.run.submit(edit, undefined).catch(() => undefined);
    await refused(edit, 'conflict', /made the same program before/);
    scene.run.stop();
    await summaryOf(scene);
    await refused(edit, 'conflict', /not searching/);
  });

  it('takes an edit however the editor ends its lines and the file, and writes it as the file is written', async () => {
    const scene = await opened();
    const odd = `\ufeff${edit.trimEnd().replaceAll('\n', '\r\n')}`;
    const sha256 = await scene.run.submit(odd, undefined);
    await happened(scene, (event) => event.type === 'judged' && event.sha256 === sha256);
    const { changes } = await recordsOf(folder).eliteDetail(scene.run.state, sha256);
    assert.deepEqual(
      changes.map(({ after }) => after),
      [edit],
    );
    scene.run.stop();
    await summaryOf(scene);
  });

  it('enters an edit once that is sent twice at once, and says what it changes of its parent', async () => {
    const scene = await opened();
    const first = await scene.run.submit(edit, undefined);
    await happened(scene, (event) => event.type === 'judged' && event.sha256 === first);
    const second = edit.replace('    unused = [1, 2, 3]\n', '');
    const sent = await Promise.allSettled([1, 2].map(() => scene.run.submit(second, first)));
    assert.deepEqual(sent.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    scene.run.stop();
    await summaryOf(scene);
    const entered = scene.events.flatMap((event) => (event.type === 'submitted' ? [event.origin] : []));
    assert.deepEqual(entered[1], { parents: [first], mutator: 'user', summary: 'own edit: 1 line becomes 0 lines' });
    assert.equal(entered.length, 2);
  });

  it('crosses two elites in one slot, and makes the next generation from a chosen parent', async () => {
    const scene = await opened((one) => one.run.state.archive.champions().length >= 3);
    const [a, b, c] = scene.run.state.population.elites().map(({ sha256 }) => sha256);
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    await scene.run.steer(a, b);
    await scene.run.steer(c);
    const granted = () => scene.events.flatMap((event) => (event.type === 'selected' && event.wished === true ? [event] : []));
    while (granted().filter(({ slot }) => slot.attempt === 0).length < 4) await new Promise(setImmediate);
    scene.run.stop();
    await summaryOf(scene);
    const first = granted().filter(({ slot }) => slot.attempt === 0);
    assert.deepEqual(
      first.map(({ parent, inspirations, mutator }) => [parent, inspirations, mutator]),
      [[a, [b], 'crossover-tree'], ...[c, c, c].map((parent) => [parent, [], 'structural'])],
    );
    const crossed = first[0]?.slot.index;
    for (const event of scene.events)
      if (event.type === 'mutated' && event.slot.index === crossed) assert.deepEqual(event.origin.parents, [a, b]);
  });

  it('keeps a pinned elite in the list and in the mutators’ view, and never sees a discarded one again', async () => {
    const scene = await opened((one) => one.run.state.archive.champions().length >= 3);
    const original = scene.run.state.original.sha256;
    const found = scene.run.state.population.elites().map(({ sha256 }) => sha256);
    const [kept, unwanted] = found.filter((sha256) => sha256 !== original).reverse();
    assert.ok(kept !== undefined && unwanted !== undefined);
    await scene.run.pin(kept, true);
    await scene.run.discard(unwanted);
    await assert.rejects(scene.run.discard(original), { code: 'invalid_input' });
    const from = scene.events.length;
    while (scene.events.slice(from).filter((event) => event.type === 'selected').length < 8) await new Promise(setImmediate);
    scene.run.stop();
    await summaryOf(scene);
    const selected = scene.events.slice(from).flatMap((event) => (event.type === 'selected' ? [event] : []));
    for (const { parent, inspirations, slot } of selected.slice(3)) {
      assert.ok(parent === kept || inspirations.includes(kept), `slot ${slot.index}`);
      assert.ok(parent !== unwanted && !inspirations.includes(unwanted));
    }
    const state = await recordsOf(folder).load(scene.run.id);
    assert.ok(state.population.elites().some(({ sha256, pinned }) => sha256 === kept && pinned === true));
    assert.equal(state.archive.find(unwanted), undefined);
    await assert.rejects(recordsOf(folder).eliteDetail(state, unwanted), { code: 'not_found' });
  });

  it('loses no submission and no wish by a kill at any event', async () => {
    const asked = request({ mutator: 'structural', population: 3, stop: { max_generations: 3 } });
    const scene = await openScene(folder, asked);
    while (!inserted(2)(scene)) await new Promise(setImmediate);
    await scene.run.submit(edit, undefined);
    await scene.run.steer(scene.run.state.original.sha256);
    const whole = await summaryOf(scene);
    const journal = (home: string) => join(home, '.peagen', 'runs', whole.run, 'journal.jsonl');
    const lines = (await readFile(journal(folder), 'utf8')).trimEnd().split('\n');
    const from = lines.findIndex((line) => line.includes('"type":"submitted"')) + 1;
    const to = lines.findIndex((line) => line.includes('"type":"confirmed"'));
    assert.ok(from > 0 && to - from > 5);
    for (let kept = from; kept < to; kept++) {
      const home = join(folder, `killed-${kept}`);
      await mkdir(join(home, '.peagen', 'runs', whole.run), { recursive: true });
      await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
      await writeFile(journal(home), `${lines.slice(0, kept).join('\n')}\n`);
      const resumed = await openScene(home, whole.run);
      await summaryOf(resumed);
      const all = (await recordsOf(home).events(whole.run)) as RunEvent[];
      assert.equal(all.filter((event) => event.type === 'judged').length, 1, `after ${kept} events`);
      const steered = lines.slice(0, kept).some((line) => line.includes('"type":"steered"'));
      const granted = all.filter((event) => event.type === 'selected' && event.wished === true && event.slot.attempt === 0);
      if (steered) assert.ok(granted.length > 0, `after ${kept} events`);
    }
  });
});
