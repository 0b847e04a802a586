/** Inputs that a model proposes: asked over HTTP, tried on the original in a sandbox. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planProposal, proposeInputs } from '../../../daemon/engine/target/propose.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { ProposeInputsRequest } from '../../../shared/protocol/judging.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';

const text =
  'from limits import MOST\ndef half(n, by=2):\n    while n == 13: pass\n    if n > MOST: raise ValueError("large")\n    return [n // by] * 3\n';
const answer = `Here they are.
\`\`\`json
[{"why": "typical\\nsecond line", "args": [8]}, {"why": "odd", "args": [9], "kwargs": {"by": 3}}, [8.0],
 {"why": "too large", "args": [1000]}, {"why": "again", "args": [8]}, {"why": "hangs", "args": [13]}, {"args": "no list"}]
\`\`\`
`;

describe('proposing inputs', () => {
  let llm: TestLlm;
  let root: string;
  before(async () => {
    llm = await startTestLlm({});
    root = mkdtempSync(join(tmpdir(), 'peagen-propose-'));
    writeFileSync(join(root, 'half.py'), text);
    writeFileSync(join(root, 'limits.py'), 'MOST = 100\n');
  });
  after(async () => {
    await llm.close();
    rmSync(root, { recursive: true });
  });
  const config = (more: object = {}) =>
    Config.parse({ llm: { backends: [{ name: 'a', model: 'test-model', base_url: llm.url }] }, ...more });
  const request = (more: object = {}) =>
    ProposeInputsRequest.parse({ target: { root, path: 'half.py', entry_fn: 'half' }, ...more });
  const ask = (asked = request(), with_ = config()) =>
    proposeInputs(
      asked,
      { config: with_, registry: builtinRegistry(), log: createLog({ level: 'silent' }) },
      new AbortController().signal,
    );

  it('answers calls with what the original did on each, and says why the others are no use', async () => {
    llm.script({ type: 'answer', text: answer });
    const { proposals, dropped, tokens } = await ask();
    assert.deepEqual(
      proposals.map(({ call, why, returned, raised }) => [call.args, call.kwargs, why, returned ?? raised]),
      [
        [[8], {}, 'typical', '[4, 4, 4]'],
        [[9], { by: 3 }, 'odd', '[3, 3, 3]'],
        [[1000], {}, 'too large', 'ValueError'],
      ],
    );
    assert.deepEqual(
      dropped.map(({ reason }) => reason.split(' ').slice(0, 3).join(' ')),
      ['the same as', 'the same as', 'not a call', 'half(13) took longer'.split(' ').slice(0, 3).join(' ')],
    );
    assert.ok(tokens.prompt > 50 && tokens.completion > 20, JSON.stringify(tokens));
  });

  it('says what it can cost before it asks, and asks nothing above the budget', async () => {
    const worst = await planProposal(request(), config());
    assert.ok(worst.prompt_tokens > 50 && worst.completion_tokens >= 4096, JSON.stringify(worst));
    const likely = worst.expected.tokens;
    assert.ok(likely > 50 && likely < (worst.prompt_tokens + worst.completion_tokens) / 4, JSON.stringify(worst));
    const tight = config({ evolve: { stop: { budget_tokens: 100 } } });
    await assert.rejects(
      ask(request(), tight),
      (error: unknown) => error instanceof PeagenError && error.code === 'budget_exceeded',
    );
  });

  it('says that there is no model, no function, and no list in the answer', async () => {
    await assert.rejects(
      planProposal(request(), Config.parse({})),
      (error: unknown) => error instanceof PeagenError && error.code === 'unavailable',
    );
    await assert.rejects(planProposal(request({ target: { root, path: 'half.py' } }), config()), /only for a function/);
    llm.script({ type: 'answer', text: 'I would rather not.' });
    const { proposals, dropped } = await ask();
    assert.equal(proposals.length, 0);
    assert.match(dropped[0]?.reason ?? '', /no list in JSON/);
  });

  it('is offered by "peagen judge" too, which says what it costs before it asks', async () => {
    const backend = `[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`;
    writeFileSync(join(root, '.peagen.toml'), backend);
    writeFileSync(join(root, 'mine.py'), text.replace('* 3', '* 2'));
    const target = ['--target-file', 'half.py', '--entry-fn', 'half', '--candidate', 'mine.py', '--no-derive', '--sync'];
    const before = llm.requests.length;
    const refused = await runPeagen(['judge', ...target, '--inputs', 'propose'], root);
    assert.equal(refused.status, 6);
    assert.match(refused.stderr, /Proposing inputs is expected to spend about .* can spend at most .* Agree with --yes/);
    assert.equal(llm.requests.length, before);
    llm.script({ type: 'answer', text: answer });
    const judged = await runPeagen(['judge', ...target, '--inputs', 'propose', '--yes'], root);
    assert.equal(judged.status, 1);
    assert.match(judged.stderr, /^\(8\) → \[4, 4, 4\].* typical$/m);
    assert.match(judged.stderr, /The change is wrong: half\(8\) returned \[4, 4\], expected \[4, 4, 4\]/);
  });
});
