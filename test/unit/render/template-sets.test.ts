import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTemplateSets, showTemplateSet } from '../../../daemon/render/sets/sets.ts';

describe('The template sets there are', () => {
  it('are those of the workspace and the shipped ones, with what the embedded engine does otherwise in them', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'peagen-sets-'));
    try {
      const folder = join(workspace, 'templates', 'mine');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'ptree.yaml.j2'), '- FILE_NAME: b.j2\n');
      await writeFile(join(folder, 'README.md'), '# mine\n\nMy own\nset.\n\nMore.\n');
      await writeFile(join(folder, 'b.j2'), '{{ "%d" % 3 }}');
      const options = { workspace, home: workspace, searchPath: [] };
      const sets = await listTemplateSets(options);
      assert.deepEqual(
        sets.map(({ name, from }) => `${name} ${from}`),
        ['mine workspace', 'python-package shipped', 'typescript-package shipped', 'vscode-extension shipped'],
      );
      const { files, description, differences } = await showTemplateSet('mine', options);
      assert.deepEqual(files, ['README.md', 'b.j2', 'ptree.yaml.j2']);
      assert.equal(description, 'My own set.');
      assert.match(differences[0]?.difference.advice ?? '', /^Texts are not formatted by %/);
      await assert.rejects(showTemplateSet('min', options), { code: 'not_found' });
    } finally {
      await rm(workspace, { recursive: true, force: true });
    }
  });
});
