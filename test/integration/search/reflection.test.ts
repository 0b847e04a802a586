/** Reflection: what a model concludes from the attempts reaches later questions, the journal, the budget, a replay and a resume. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashes } from '../../../daemon/engine/mutate/min-hashes.ts';
import { replayRun } from '../../../daemon/engine/records/replay.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { RunEvent, RunSummary } from '../../../shared/run.ts';
import { openScene, recordsOf, registry, request, type Scene, summaryOf } from '../../unit/engine/scene.ts';

const LESSON = 'add the items up with the built-in function';
const COST = { prompt: 100, completion: 20 };
const REFLECTS = 'A search improves this';
const answers = {
  lesson: `Works: nothing yet\nDoes not work: other numbers\n**Try next:** ${LESSON}`,
  nonsense: 'I am a teapot.\n'.repeat(50),
};
let asked: ChatRequest[] = [];
let says = answers.lesson;

/** Writes another number each time; adds up as it should only when the question holds the lesson. */
function answerTo({ prompt, seed = 0 }: ChatRequest): string {
  if (prompt.startsWith(REFLECTS)) return says;
  const body = prompt.includes(LESSON)
    ? '    return sum(items)'
    : `    total = sum(items)\n    unused = [${1_000_000 + createRandom(seed).int(9_000_000)}]\n    return total`;
  return `Change: as told\n\n\`\`\`python\ndef busy(items):\n${body}\n\`\`\`\n`;
}

registry.register(
  'backend',
  'advised',
  async () => (_, name) => ({
    name,
    model: 'advised',
    ask: async (question): Promise<ChatAnswer> => {
      asked.push(question);
      return {
        ...{ text: answerTo(question), backend: name, model: 'advised', tokens: COST },
        ...{ finish: 'stop', firstTokenMs: 0, totalMs: 0 },
      };
    },
  }),
  'test',
);

const settings = (reflect: number) =>
  `[evolve]\nreflect = ${reflect}\n[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "advised"\n`;
const reflections = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === 'reflected' ? [event] : []));
const spent = ({ tokens }: RunSummary) => tokens.prompt + tokens.completion;
const EACH = COST.prompt + COST.completion;

describe('a search that reflects', () => {
  let folder: string;
  beforeEach(async () => {
    asked = [];
    says = answers.lesson;
    folder = await mkdtemp(join(tmpdir(), 'peagen-reflection-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (every: number, seed = 1, max_generations = 3, more: Parameters<typeof openScene>[3] = {}): Promise<Scene> =>
    openScene(folder, request({ mutator: 'rewrite', population: 2, seed, stop: { max_generations } }), 4, {
      settings: settings(every),
      ...more,
    });
  const isSolved = async (scene: Scene, { best }: RunSummary): Promise<boolean> => {
    const object = best === null ? undefined : scene.run.state.objectOf(best.sha256);
    if (object === undefined) return false;
    const program = await recordsOf(folder).readProgram(object);
    return program.files[0]?.text.includes('return sum(items)') === true;
  };

  it('solves a task that needs the sentence of the reflection with 20 seeds of 20, and with none without it', async () => {
    const solved = { with: 0, without: 0 };
    for (let seed = 1; seed <= 20; seed++) {
      const [first, second] = await Promise.all([open(1, seed), open(0, seed)]);
      const [one, other] = await Promise.all([summaryOf(first), summaryOf(second)]);
      if (await isSolved(first, one)) solved.with++;
      if (await isSolved(second, other)) solved.without++;
    }
    assert.deepEqual(solved, { with: 20, without: 0 });
  });

  it('records each as an event with its texts, and its tokens are part of what the run has spent', async () => {
    const scene = await open(1);
    const summary = await summaryOf(scene);
    const events = reflections(scene.events);
    assert.deepEqual(
      events.map(({ generation, lessons, reason }) => [generation, lessons?.next, reason]),
      [
        [1, LESSON, undefined],
        [2, LESSON, undefined],
      ],
    );
    const { prompt } = events[0] ?? {};
    assert.ok(prompt !== undefined);
    assert.match(await recordsOf(folder).readText(prompt), /## What was tried\nNewest first:\n- as told\. Result: /);
    assert.equal(asked.filter((question) => question.prompt.startsWith(REFLECTS)).length, 2);
    assert.equal(spent(summary), asked.length * EACH);
    const after = asked.filter((question) => question.prompt.includes('## What the search has learned so far'));
    assert.ok(after.length > 0 && after.every(({ prompt: text }) => text.includes(`- Try next: ${LESSON}`)));
  });

  it('goes on without a reflection that returns nonsense, which has one line in the journal', async () => {
    says = answers.nonsense;
    const scene = await open(1);
    const summary = await summaryOf(scene);
    assert.equal(summary.generations, 3);
    assert.deepEqual(
      reflections(scene.events).map(({ lessons, reason }) => [lessons, reason]),
      Array(2).fill([undefined, 'the answer has no line that begins with "Try next:"']),
    );
    assert.ok(asked.every(({ prompt }) => !prompt.includes('What the search has learned')));
    assert.equal(spent(summary), asked.length * EACH);
  });

  it('never passes the budget for one, and leaves it out where the rest does not pay for it', async () => {
    const stop = { max_generations: 50, budget_tokens: 1200 };
    const scene = await openScene(folder, request({ mutator: 'rewrite', population: 2, stop }), 4, {
      settings: settings(1),
      attemptCost: { least: EACH, most: EACH },
    });
    const summary = await summaryOf(scene);
    assert.ok(spent(summary) <= 1200, `${spent(summary)}`);
    assert.ok(reflections(scene.events).some(({ reason }) => reason === 'the budget has no room for it'));
  });

  it('comes to the same candidates again: with the same seed, in a replay, and after an interruption at any event', async () => {
    const whole = await open(1, 7, 4);
    const summary = await whole.run.done;
    assert.equal((await summaryOf(await open(1, 7, 4))).candidates_digest, summary.candidates_digest);
    for (const stopAt of ['generation', 'reflected'] as const) {
      let seen = 0;
      const cut = await open(1, 7, 4, {
        hear: (event, run) => {
          if (event.type === stopAt && ++seen === 2) run?.interrupt();
        },
      });
      await cut.run.done.catch(() => undefined);
      await cut.close();
      const resumed = await summaryOf(await openScene(folder, cut.run.id, 4, { settings: settings(1) }));
      assert.equal(resumed.candidates_digest, summary.candidates_digest, stopAt);
      assert.equal(spent(resumed), spent(summary), stopAt);
    }
    const prompts = asked.length;
    const report = await replayed(whole);
    assert.equal(asked.length, prompts, 'a replay asks nothing');
    assert.deepEqual(report.differing, []);
    assert.equal(report.candidates, summary.candidates);
    await whole.close();
  });

  it('comes to the same candidates in 2 and 2 more generations as in 4', async () => {
    const whole = await summaryOf(await open(2, 3, 4));
    const first = await summaryOf(await open(2, 3, 2));
    const extended = await summaryOf(await openScene(folder, first.run, 4, { settings: settings(2), extend: 2 }));
    assert.equal(extended.candidates_digest, whole.candidates_digest);
  });

  /** As `peagen evolve replay` makes every candidate again. */
  async function replayed(scene: Scene) {
    const records = recordsOf(folder);
    const [started, ...events] = await records.events(scene.run.id);
    const state = await records.begin(scene.run.id, started);
    const program = async (sha256: Sha256) => records.readProgram(scene.run.state.objectOf(sha256) ?? sha256);
    return replayRun(events, {
      state,
      sketches: new MinHashes(program),
      taskClient: scene.taskClient,
      mutateRequires: async () => ['llm'],
      program,
      readText: (sha256) => records.readText(sha256),
      measure: async () => ({ speedup: 1 }),
    });
  }
});
