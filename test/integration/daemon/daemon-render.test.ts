/** The requests that an editor renders with, over a real daemon. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MakeRender, PreviewRender, RenderChoices } from '../../../shared/protocol/render.ts';
import { startTestLlm } from '../../llm/server.ts';
import { Home } from './home.ts';

const payload = 'PROJECTS: [{ NAME: demo, TEMPLATE_SET: mine, PACKAGES: [{ NAME: cart }] }]\n';
const readme = '# {{ PKG.NAME }}\n';

describe('Rendering by the daemon', () => {
  it('previews and makes files, but writes none', async () => {
    await using home = new Home();
    const llm = await startTestLlm({ plainText: '```\nmade\n```' });
    try {
      const at = (path: string) => join(home.workspace, path);
      const files = {
        '.peagen.toml': `[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`,
        'demo.yaml': payload,
        'templates/mine/ptree.yaml.j2':
          '- {FILE_NAME: a.j2, RENDERED_FILE_NAME: a.md, PACKAGE_NAME: cart}\n- {FILE_NAME: b.j2, RENDERED_FILE_NAME: b.md, PROCESS_TYPE: generate, AGENT_PROMPT_TEMPLATE: b.j2}\n',
        'templates/mine/a.j2': readme,
        'templates/mine/b.j2': 'Write.',
        'a.md': 'mine',
      };
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), text);
      }
      const client = await home.client();
      const { sets, schema } = await client.request(RenderChoices, {});
      assert(sets.some(({ name, from }) => name === 'mine' && from === 'workspace'));
      assert(sets.some(({ name, from }) => name === 'python-package' && from === 'shipped'));
      assert.deepEqual(schema['required'], ['PROJECTS']);

      const from = { project: at('demo.yaml'), out: home.workspace };
      const preview = await client.request(PreviewRender, from);
      assert.deepEqual(preview.files, [
        { path: 'a.md', state: 'changed', before: 'mine', after: '# cart' },
        { path: 'b.md', state: 'generated' },
      ]);
      assert.equal(preview.worst_case.files, 1);
      const little = { ...preview.worst_case, completion_tokens: 1 };
      await assert.rejects(client.request(MakeRender, { ...from, agreed: little }), { code: 'budget_exceeded' });
      assert.equal(llm.requests.length, 0);
      const made = await client.request(MakeRender, { ...from, agreed: preview.worst_case });
      assert.equal(made.files.find(({ path }) => path === 'b.md')?.after, 'made\n');
      assert.deepEqual([existsSync(at('b.md')), existsSync(at('.peagen/demo_manifest.json'))], [false, false]);

      const broken = await client.request(PreviewRender, { ...from, text: 'PROJECTS: 1' }).catch((caught) => caught);
      assert.equal(broken.code, 'invalid_input');
      client.close();
    } finally {
      await llm.close();
    }
  });
});
