/** A mutator with several back ends, from the command line: the slots are divided among real servers that answer differently. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../daemon/engine/open.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { RunSummary } from '../../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { countingEvaluator } from './counted-target.ts';
import { eventsOf } from './search-folder.ts';

const textOf = (rounds: number) => `def count(n):
    total = 0
    for again in range(${rounds}):
        total = 0
        for i in range(n):
            total = total + i
    return total
`;

describe('a mutator with several back ends', function () {
  this.timeout(600_000);
  let folder: string;
  let good: TestLlm;
  let useless: TestLlm;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-backends-'));
    good = await startTestLlm();
    useless = await startTestLlm({ plainText: 'I would not change anything here.' });
    await writeFile(join(folder, 'count.py'), textOf(400));
    await writeFile(join(folder, 'evaluator.py'), countingEvaluator('count', '[20]', 'lambda n: sum(range(n))'));
    good.script(
      ...Array.from({ length: 40 }, (_, i) => ({
        type: 'answer' as const,
        text: `Change: fewer rounds\n\n\`\`\`python\n${textOf(Math.ceil(400 * 0.8 ** (i + 1)))}\`\`\``,
      })),
    );
  });
  afterEach(async () => {
    await Promise.all([good.close(), useless.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  const backend = (name: string, url: string) =>
    `[[llm.backends]]\nname = "${name}"\nmodel = "test-model"\nbase_url = "${url}"\n`;
  const configure = (...backends: string[]) =>
    writeFile(join(folder, '.peagen.toml'), `[evaluate]\nevaluator = "openevolve"\n${backends.join('')}`);

  async function evolve(...args: string[]) {
    return runPeagen(
      [
        ...['evolve', 'run', '--target-file', 'count.py', '--entry-fn', 'count', '--seed', '3'],
        ...['--mutator', 'rewrite', '--population', '2', '--deterministic', '--sync', '--yes', '--json', ...args],
      ],
      folder,
    );
  }

  it('asks most the one whose answers gain something for what they cost', async () => {
    await configure(backend('useless', useless.url), backend('good', good.url));
    const { status, lastJson, stderr } = await evolve('--generations', '8');
    assert.equal(status, 0, stderr);
    const { run, best } = RunSummary.parse(lastJson);
    assert.ok(best !== null && best.speedup > 1, JSON.stringify(lastJson));
    const all = await eventsOf(folder, run);
    const [started] = all;
    assert.ok(started?.type === 'started');
    assert.deepEqual(started.spec.mutators, ['rewrite@useless', 'rewrite@good']);
    const tries = (name: string) =>
      all.filter((event) => event.type === 'selected' && event.slot.attempt === 0 && event.backend === name).length;
    assert.ok(tries('useless') > 0 && tries('good') > tries('useless'), `${tries('good')} and ${tries('useless')} slots`);
    for (const event of all) if (event.type === 'mutated') assert.equal(event.origin.backend, 'good');
  });

  it('asks another one in place of one that is away', async () => {
    const gone = await startTestLlm();
    await gone.close();
    await configure(backend('gone', gone.url), backend('good', good.url));
    const { status, lastJson, stderr } = await evolve('--generations', '3');
    assert.equal(status, 0, stderr);
    const { run, evaluated } = RunSummary.parse(lastJson);
    assert.equal(evaluated, 6);
    const made = (await eventsOf(folder, run)).flatMap((event) => (event.type === 'mutated' ? [event.origin.backend] : []));
    assert.deepEqual(new Set(made), new Set(['good']));
  });

  describe('that nobody is at', () => {
    const warned = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('warning: Back end "gone"'));
    beforeEach(async () => {
      const gone = await startTestLlm();
      await gone.close();
      await configure(backend('gone', gone.url));
    });

    it('ends with the first question, and says where nobody answered and what to do', async () => {
      const { status, stderr, lastJson } = await evolve('--backend', 'gone', '--generations', '50');
      assert.equal(status, 1);
      assert.match(
        stderr,
        /^peagen: Back end "gone": http:\S+ cannot be reached \(.*\)\. Check base_url, and that the server runs\.$/m,
      );
      assert.match(JSON.stringify(lastJson), /backend_failed/);
      const [run = ''] = await readdir(join(folder, '.peagen', 'runs'));
      const all = await eventsOf(folder, run);
      const asked = all.flatMap((event) => (event.type === 'selected' ? [event.slot] : []));
      assert.ok(asked.length <= 2 && asked.every(({ attempt }) => attempt === 0), JSON.stringify(asked));
      const ended = all.at(-1);
      assert.ok(ended?.type === 'stopped' && ended.reason === 'failed');
    });

    it('is warned of once, while a run goes on with the mutators that ask no model', async () => {
      const { status, lastJson, stderr } = await evolve('--mutator', 'auto', '--population', '4', '--generations', '2');
      assert.equal(status, 0, stderr);
      assert.ok(RunSummary.parse(lastJson).evaluated > 0);
      assert.equal(warned(stderr).length, 1, stderr);
      assert.match(stderr, /cannot be reached .*Check base_url, and that the server runs\. It fails again and again/);
    });

    it('stops being a trouble of the engine when the run has ended', async () => {
      const llm = { backends: [{ name: 'gone', model: 'm', base_url: 'http://127.0.0.1:9/v1' }] };
      const config = Config.parse({ task_queue: { provider: 'stub' }, llm });
      const log = createLog({ level: 'silent' });
      const engine = openEngine({ config, workspace: folder, log, registry: builtinRegistry(), build: 'test' });
      try {
        const seen = new Set<string | undefined>();
        engine.subscribe(() => seen.add(engine.trouble()));
        const target = { root: folder, path: 'count.py', entry_fn: 'count' };
        const evaluator = { name: 'openevolve', options: {} };
        const stop = { max_generations: 2 };
        const { run } = await engine.start({ target, evaluator, mutator: 'auto', population: 4, seed: 3, stop }, 'gone');
        await engine.finished(run);
        assert.match([...seen].join('\n'), /cannot be reached .*It fails again and again/);
        assert.equal(engine.trouble(), undefined);
      } finally {
        await engine.close();
      }
    });
  });
});
