/** The laws of a back end; every adapter passes them. The fixture answers any question with TEXT, slowly when told to. */
import assert from 'node:assert/strict';
import type { LlmBackend } from '../../daemon/llm/backend.ts';
import { BackendFailure } from '../../daemon/llm/failure.ts';
import { ChatAnswer, type ChatRequest } from '../../shared/llm.ts';

export const TEXT = 'Change: nothing much.\n\n```python\nprint("ä € 😀")\n```\n';

export const question: ChatRequest = {
  system: 'You answer.',
  prompt: 'What is the change?',
  temperature: 0,
  maxTokens: 200,
  seed: 7,
  backend: 'auto',
};

export interface BackendFixture {
  readonly backend: LlmBackend;
  /** The next question is never answered. Resolves once it has arrived. Undefined: this back end always answers at once. */
  silence?(): Promise<void>;
  /** The next question fails. */
  fail?(): void;
  close(): Promise<void>;
}

export function backendLaws(open: () => Promise<BackendFixture>): void {
  let fixture: BackendFixture;
  const signal = () => new AbortController().signal;

  beforeEach(async () => {
    fixture = await open();
  });
  afterEach(() => fixture.close());

  it('answers with the text, its own name and model, and valid numbers', async () => {
    const answer = await fixture.backend.ask(question, { signal: signal() });
    assert.equal(answer.text, TEXT);
    assert.equal(answer.backend, fixture.backend.name);
    assert.equal(answer.finish, 'stop');
    assert.deepEqual(ChatAnswer.parse(answer), answer);
    assert.ok(answer.firstTokenMs <= answer.totalMs);
  });

  it('streams pieces that make up the answer', async () => {
    const pieces: string[] = [];
    const answer = await fixture.backend.ask(question, { signal: signal(), onText: (piece) => pieces.push(piece) });
    assert.equal(pieces.join(''), answer.text);
  });

  it('answers many questions at once, each with its own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fixture.backend.ask(question, { signal: signal() })));
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set([TEXT]));
  });

  it('rejects with cancelled when the question has been withdrawn before it is asked', async () => {
    await assert.rejects(fixture.backend.ask(question, { signal: AbortSignal.abort() }), { code: 'cancelled' });
  });

  it('rejects with cancelled, at once, when the question is withdrawn while it waits', async function () {
    if (fixture.silence === undefined) return this.skip();
    const arrived = fixture.silence();
    const controller = new AbortController();
    const asking = fixture.backend.ask(question, { signal: controller.signal });
    const rejected = assert.rejects(asking, { code: 'cancelled' });
    await arrived;
    controller.abort();
    await rejected;
  });

  it('throws a BackendFailure that names the back end', async function () {
    if (fixture.fail === undefined) return this.skip();
    fixture.fail();
    await assert.rejects(fixture.backend.ask(question, { signal: signal() }), (caught) => {
      assert.ok(caught instanceof BackendFailure);
      assert.equal(caught.backend, fixture.backend.name);
      return true;
    });
  });
}
