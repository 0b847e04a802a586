/** `peagen render` with files that a language model writes. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { type Ended, runPeagen } from '../../peagen.ts';

const list = `
- FILE_NAME: names.txt.j2
  RENDERED_FILE_NAME: names.txt
- FILE_NAME: sort.py.j2
  RENDERED_FILE_NAME: sort.py
  PROCESS_TYPE: Generate
  AGENT_PROMPT_TEMPLATE: prompt.md.j2
  EXTRAS: { DEPENDENCIES: [names.txt] }
- FILE_NAME: readme.j2
  RENDERED_FILE_NAME: README.md
  EXTRAS: { DEPENDENCIES: [sort.py] }
`;

describe('peagen render with generated files', () => {
  let folder: string;
  let llm: TestLlm;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-generate-'));
    llm = await startTestLlm();
    const backend = ['[[llm.backends]]', 'name = "test"', 'model = "test-model"', `base_url = "${llm.url}"`, 'price_prompt = 1'];
    await write({
      'projects.yaml': 'PROJECTS: [{ NAME: demo, PACKAGES: [{ NAME: p }] }]',
      '.peagen.toml': [...backend, 'price_completion = 2', '[mutate]', 'max_tokens = 500', ''].join('\n'),
      'templates/default/ptree.yaml.j2': list,
      'templates/default/names.txt.j2': 'ann {{ "{{ not code }}" }} {{ "{% endraw %}" }}',
      'templates/default/sort.py.j2': '# start of {{ FILE.RENDERED_FILE_NAME }}',
      'templates/default/prompt.md.j2': 'Sort these:\n{% include "names.txt" %}\nBegin:\n{% include "sort.py.j2" %}\n',
      'templates/default/readme.j2': 'Made:\n{% include "sort.py" %}',
    });
  });
  afterEach(async () => {
    await llm.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }

  const render = (...args: string[]): Promise<Ended> =>
    runPeagen(['render', '--project', 'projects.yaml', '--out', 'out', '--sync', ...args], folder);
  const read = (path: string) => readFile(join(folder, 'out', path), 'utf8');
  const answer = {
    type: 'answer' as const,
    text: '<think>```\nwrong\n```</think>Here:\n```python\nprint("{{ raw }}")\n```\nDone.',
  };

  it('asks with what the file depends on, takes the first block, and renders what depends on it', async () => {
    llm.script(answer);
    const ended = await render('--yes');
    assert.equal(ended.status, 0, ended.stderr);
    const prompt = llm.requests[0]?.body.messages.at(-1)?.content;
    assert.equal(prompt, 'Sort these:\nann {{ not code }} {% endraw %}\nBegin:\n# start of sort.py');
    assert.equal(await read('sort.py'), 'print("{{ raw }}")\n');
    assert.equal(await read('README.md'), 'Made:\nprint("{{ raw }}")');
  });

  it('does not ask again while the prompt is the same, and does when it has changed', async () => {
    llm.script(answer, { ...answer, text: '```\nother\n```' });
    await render('--yes');
    assert.match((await render('--check')).stdout, /4 the same/);
    assert.equal((await render()).status, 0);
    assert.equal(llm.requests.length, 1);
    await write({ 'templates/default/names.txt.j2': 'bob' });
    assert.equal((await render('--yes', '--force')).status, 0);
    assert.equal(llm.requests.length, 2);
    assert.equal(await read('sort.py'), 'other\n');
  });

  it('says the worst case before it asks, and asks nothing without agreement', async () => {
    const dry = await render('--dry-run', '--json');
    const { worst_case: cost } = dry.lastJson as { worst_case: Record<string, number> };
    assert.equal(cost['files'], 1);
    assert(Number(cost['completion_tokens']) >= 500 && Number(cost['completion_tokens']) % 500 === 0);
    assert(Number(cost['prompt_tokens']) > 20 && Number(cost['dollars']) > 0);
    const refused = await render();
    assert.equal(refused.status !== 0, true);
    assert.match(refused.stderr, /1 file is to be generated, for at most [\d,]+ tokens \(\$.*--yes/);
    assert.equal(llm.requests.length, 0);
    await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
  });

  it('counts every file in the worst case', async () => {
    const more = Array.from({ length: 4 }, (_, index) => list.split('\n- ')[2]?.replace('sort.py\n', `sort${index}.py\n`));
    await write({ 'templates/default/ptree.yaml.j2': list + more.map((each) => `- ${each}\n`).join('') });
    const one = (await render('--dry-run', '--json', '--start-file', 'sort.py', '--transitive')).lastJson;
    const all = (await render('--dry-run', '--json')).lastJson;
    const tokens = (json: unknown) => (json as { worst_case: Record<string, number> }).worst_case;
    assert.equal(tokens(all)['files'], 5);
    assert.equal(tokens(all)['completion_tokens'], 5 * Number(tokens(one)['completion_tokens']));
  });

  it('says so when there is no model, and still compares', async () => {
    await write({ '.peagen.toml': '' });
    const ended = await render('--yes');
    assert.equal(ended.status, 1);
    assert.match(ended.stderr, /no language model is configured/);
    await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
    const dry = await render('--dry-run');
    assert.match(dry.stdout, /2 would be generated/, dry.stderr);
  });

  it('writes nothing when an answer holds no file, and names the file and what waits for it', async () => {
    llm.script({ type: 'refusal' });
    const ended = await render('--yes');
    assert.notEqual(ended.status, 0);
    assert.match(ended.stderr, /sort\.py cannot be rendered: the model declined.*Skipped.*README\.md/);
    await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
  });
});
