import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { templateSetsDir } from '../../../daemon/assets.ts';
import { checkRenderFile } from '../../../daemon/render/editor/check.ts';
import { completeRenderFile } from '../../../daemon/render/editor/complete.ts';
import { useOf } from '../../../daemon/render/editor/uses.ts';
import { expressionAt, valuesOf } from '../../../daemon/render/editor/value.ts';
import { Payload, parsePayload } from '../../../daemon/render/payload.ts';
import { extrasOf } from '../../../daemon/render/sets/extras.ts';
import { detailIn, payloadOf } from '../../../extension/render/details.ts';
import { type Detail, type Schema, yamlOf } from '../../../extension/render/questions.ts';
import type { SetExtras } from '../../../shared/protocol/render.ts';

const payload = `PROJECTS:
  - NAME: shop
    TEMPLATE_SET: mine
    PACKAGES:
      - NAME: cart
        EXTRAS: { "zebra": 1, color: red }
        MODULES: [{ NAME: items }, { NAME: totals }]
`;
const list = `{%- for pkg in PROJ.PKGS %}
- FILE_NAME: readme.j2
  RENDERED_FILE_NAME: "{{ pkg.NAME }}.md"
  PACKAGE_NAME: "{{ pkg.NAME }}"
{%- endfor %}
`;
const readme = `# {{ PKG.NAME|upper }}
{% set first = PKG.MODULES[0] %}{{ first.NAME }}
{% for mod in PKG.MODULES if mod.NAME != "x" %}{{ mod.NAME }} {{ loop.index }}
{% for key, value in PKG.EXTRAS.items() %}{{ key }}{% endfor %}{% endfor %}
{{ nothing.there }}
`;

describe('Help in an editor', () => {
  let workspace: string;
  const searchPath: string[] = [];
  const at = (path: string) => join(workspace, path);

  before(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'peagen-help-'));
    const files = { 'shop.yaml': payload, 'templates/mine/ptree.yaml.j2': list, 'templates/mine/readme.j2': readme };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    }
  });
  after(() => rm(workspace, { recursive: true, force: true }));

  async function valuesAt(path: string, text: string, wanted: string, skip = 0): Promise<string[] | undefined> {
    const found = expressionAt(text, text.indexOf(wanted) + skip);
    const use = await useOf(at(path), { workspace, searchPath });
    assert(use !== undefined);
    return found === undefined ? undefined : (await valuesOf(text, found, use)).values;
  }

  it('shows the value of a variable for the payload that uses the template', async () => {
    const file = 'templates/mine/readme.j2';
    assert.deepEqual(await valuesAt(file, readme, 'PKG.NAME', 5), ['"cart"']);
    assert.deepEqual(await valuesAt(file, readme, 'first.NAME', 7), ['"items"']);
    assert.deepEqual(await valuesAt(file, readme, '{{ mod.NAME', 8), ['"items"', '"totals"']);
    assert.deepEqual(await valuesAt(file, readme, 'loop.index', 6), ['1', '2']);
    assert.deepEqual(await valuesAt(file, readme, '{{ key', 4), ['"zebra"', '"color"', '"zebra"', '"color"']);
    assert.deepEqual(await valuesAt(file, readme, 'for mod', 5), [
      '{"EXTRAS": {}, "NAME": "items"}',
      '{"EXTRAS": {}, "NAME": "totals"}',
    ]);
    assert.deepEqual(await valuesAt('templates/mine/ptree.yaml.j2', list, 'pkg.NAME', 5), ['"cart"']);
  });

  it('shows nothing of what is not a variable, and says when one is not defined', async () => {
    const file = 'templates/mine/readme.j2';
    for (const [wanted, skip] of [
      ['|upper', 2],
      ['# ', 0],
      ['for mod', 1],
      ['"x"', 1],
      ['.items()', 3],
    ] as const) {
      assert.equal(await valuesAt(file, readme, wanted, skip), undefined, wanted);
    }
    assert.deepEqual(await valuesAt(file, readme, 'nothing', 2), []);
  });

  /** `¦` stands for the cursor. */
  async function offered(path: string, marked: string): Promise<string[]> {
    const offset = marked.indexOf('¦');
    const text = marked.replace('¦', '');
    return (await completeRenderFile(at(path), text, offset, { workspace, searchPath })).map(({ label }) => label);
  }

  it('offers the keys of a payload where they belong, and the sets there are', async () => {
    const top = await offered('new.yaml', 'PROJECTS:\n  - NAME: a\n    ¦');
    assert.deepEqual(top, ['NAME', 'ROOT', 'TEMPLATE_SET', 'EXTRAS', 'PACKAGES']);
    const nested = await offered('new.yaml', 'PROJECTS:\n  - NAME: a\n    PACKAGES:\n      - ¦');
    assert(nested.includes('TEMPLATE_SET_OVERRIDE') && nested.includes('MODULES'));
    assert.deepEqual(await offered('new.yaml', '¦\nPROJECTS:\n'), ['schemaVersion', 'PROJECTS']);
    const sets = await offered('new.yaml', 'PROJECTS:\n  - NAME: a\n    TEMPLATE_SET: ¦');
    assert(sets.includes('mine') && sets.includes('python-package'));
    assert.deepEqual(await offered('other.yaml', 'a: ¦'), []);
    const head = 'PROJECTS:\n  - NAME: a\n    TEMPLATE_SET: python-package\n    PACKAGES:\n      - NAME: b\n';
    assert.deepEqual(await offered('new.yaml', `${head}        EXTRAS:\n          ¦`), ['DESCRIPTION', 'VERSION']);
    const module = `${head}        MODULES:\n          - NAME: c\n            EXTRAS:\n              ¦`;
    assert.deepEqual(await offered('new.yaml', module), ['DESCRIPTION', 'FIELDS']);
    assert.deepEqual(await offered('new.yaml', 'PROJECTS:\n  - NAME: a\n    EXTRAS:\n      ¦'), []);
  });

  it('offers the keys, templates and variables of a list of files', async () => {
    const file = 'templates/mine/ptree.yaml.j2';
    assert((await offered(file, '- FILE_NAME: a\n  ¦')).includes('RENDERED_FILE_NAME'));
    assert.deepEqual(await offered(file, '- FILE_NAME: ¦'), ['readme.j2']);
    assert.deepEqual(await offered(file, '- FILE_NAME: a\n  PROCESS_TYPE: ¦'), ['COPY', 'GENERATE']);
    assert((await offered(file, '- FILE_NAME: "{{ PROJ.¦')).includes('PKGS'));
    assert((await offered(file, '{% for pkg in PROJ.PKGS %}{{ pkg.¦ }}{% endfor %}')).includes('MODULES'));
    assert.deepEqual((await offered('templates/mine/readme.j2', '{{ ¦ }}')).sort(), ['FILE', 'PKG', 'PROJ']);
  });

  async function faults(path: string, text: string): Promise<string[]> {
    const found = await checkRenderFile(at(path), text, { workspace, searchPath });
    return found.map(({ start, severity, message }) => `${severity} ${start.line}:${start.character} ${message}`);
  }

  it('finds the mistakes of a payload at their places', async () => {
    assert.deepEqual(await faults('shop.yaml', payload), []);
    const [missing] = await faults('a.yaml', 'PROJECTS:\n  - ROOT: a\n');
    assert.match(missing ?? '', /^error 1:4 PROJECTS\.0\.NAME: /);
    const [typed] = await faults('a.yaml', 'PROJECTS:\n  - NAME: a\n    PACKAGES: nothing\n');
    assert.match(typed ?? '', /^error 2:14 PROJECTS\.0\.PACKAGES: /);
    const [twice] = await faults('a.yaml', 'PROJECTS:\n  - NAME: a\n    NAME: b\n');
    assert.match(twice ?? '', /^warning 2:4 the key "NAME" is there twice/);
    const [set] = await faults('a.yaml', 'PROJECTS:\n  - NAME: a\n    TEMPLATE_SET: gone\n');
    assert.match(set ?? '', /^warning 2:18 There is no template set "gone"/);
    const [syntax] = await faults('a.yaml', 'PROJECTS:\n  - NAME: "a\n');
    assert.match(syntax ?? '', /^error \d/);
    assert.match((await faults('a.yaml', 'PROJECTS:\n  - NAME: a\n  - NAME: a\n'))[0] ?? '', /^error 2:10 .*named "a"/);
    assert.deepEqual(await faults('a.yaml', 'other: 1\n'), []);
  });

  it('finds the mistakes of a list of files at their places', async () => {
    const file = 'templates/mine/ptree.yaml.j2';
    assert.deepEqual(await faults(file, list), []);
    assert.match(
      (await faults(file, list.replace('readme.j2', 'gone.j2')))[0] ?? '',
      /^error 1:13 The template "gone\.j2" is nowhere/,
    );
    assert.match((await faults(file, '\n{% for %}\n'))[0] ?? '', /^error 1:0 .*fails/);
    assert.match((await faults(file, '- FILE_NAME: readme.j2\n  PROCESS_TYPE: move\n'))[0] ?? '', /^error 1:16 PROCESS_TYPE/);
    assert.match((await faults(file, 'just text'))[0] ?? '', /^error 0:0 .*no list of records/);
  });
});

describe('The form of a payload', () => {
  // As it comes over the protocol.
  const schema: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(Payload, { io: 'input' })));

  const none: SetExtras = { project: [], package: [], module: [] };

  /** `wanted`: names of the details that are chosen. */
  function filledIn(answers: readonly string[], extras = none, wanted: readonly string[] = []) {
    const walk = payloadOf(schema, 'mine', extras);
    const asked: string[] = [];
    let offered: readonly Detail[] = [];
    let turn = walk.next('');
    for (const left = [...answers]; turn.done !== true; ) {
      if (turn.value.kind === 'choice') {
        offered = turn.value.offered;
        turn = walk.next(offered.filter(({ extra }) => wanted.includes(extra.name)));
        continue;
      }
      asked.push(turn.value.title);
      const answer = left.shift();
      assert(answer !== undefined, `an answer for ${turn.value.title}`);
      turn = walk.next(answer);
    }
    return { text: yamlOf(turn.value, 0), asked, offered: offered.map(({ level, extra }) => `${level} ${extra.name}`) };
  }

  it('asks for names, and makes a payload that is one', () => {
    const { text, asked } = filledIn(['My shop', '', 'cart, users', 'items, totals', '']);
    assert.deepEqual(asked, ['Name', 'My shop · Folder', 'My shop · Packages', 'cart · Modules', 'users · Modules']);
    const { projects, warnings } = parsePayload(text, 'form');
    assert.deepEqual(warnings, []);
    const [project] = projects;
    assert.equal(project?.NAME, 'My shop');
    assert.equal(project?.TEMPLATE_SET, 'mine');
    assert.deepEqual(
      project?.PACKAGES.map(({ NAME, MODULES }) => [NAME, MODULES?.map((each) => each.NAME)]),
      [
        ['cart', ['items', 'totals']],
        ['users', undefined],
      ],
    );
  });

  it('keeps any name as it is', () => {
    for (const name of ['no', '1.0', 'a: b', '- x', '"', "it's", 'ü', '#', 'null', 'a\tb', '{{ x }}', '2024-01-01']) {
      assert.equal(parsePayload(filledIn([name, '', '']).text, 'form').projects[0]?.NAME, name);
    }
  });

  it('offers what the templates read, and asks for what is chosen of it, thing by thing', async () => {
    const extras = await extrasOf(join(templateSetsDir, 'python-package'));
    const fields = '[{"NAME": "title"}, {"NAME": "count", "TYPE": "int"}]';
    const names = ['shop', '', 'cart', 'item, customer'];
    const details = ['Sells things: all kinds', 'An article', fields, '', ''];
    const { text, asked, offered } = filledIn([...names, ...details], extras, ['DESCRIPTION', 'FIELDS']);
    assert.deepEqual(offered, ['package DESCRIPTION', 'package VERSION', 'module DESCRIPTION', 'module FIELDS']);
    assert.deepEqual(asked.slice(names.length), [
      'cart · DESCRIPTION',
      'item · DESCRIPTION',
      'item · FIELDS',
      'customer · DESCRIPTION',
      'customer · FIELDS',
    ]);
    const { projects, warnings } = parsePayload(text, 'form');
    assert.deepEqual(warnings, []);
    assert.deepEqual(projects[0]?.PACKAGES, [
      {
        NAME: 'cart',
        EXTRAS: { DESCRIPTION: 'Sells things: all kinds' },
        MODULES: [{ NAME: 'item', EXTRAS: { DESCRIPTION: 'An article', FIELDS: JSON.parse(fields) } }, { NAME: 'customer' }],
      },
    ]);
  });

  it('offers nothing of a module where there is none, and asks no more when nothing is chosen', async () => {
    const extras = await extrasOf(join(templateSetsDir, 'vscode-extension'));
    const without = filledIn(['shop', '', 'cart', ''], extras);
    assert.deepEqual(without.offered, ['package DESCRIPTION', 'package VERSION', 'package PUBLISHER']);
    assert.deepEqual(filledIn(['shop', '', ''], extras).offered, []);
    assert.doesNotMatch(without.text, /EXTRAS/);
  });

  it('takes a detail as what its example is, and nothing else', () => {
    assert.equal(detailIn('0.1.0', { name: 'VERSION', example: '1' }), '0.1.0');
    assert.equal(detailIn('[1]', { name: 'TEXT', example: 'a' }), '[1]');
    assert.deepEqual(detailIn('[1]', { name: 'LIST', example: [2] }), [1]);
    assert.equal(detailIn('{"a": 1}', { name: 'LIST', example: [2] }), undefined);
    assert.equal(detailIn('[1', { name: 'LIST', example: [2] }), undefined);
    assert.equal(detailIn('true', { name: 'FLAG', example: false }), true);
    assert.equal(detailIn('yes', { name: 'FLAG', example: false }), undefined);
    assert.deepEqual(detailIn('{"a": 1}', { name: 'ANY' }), { a: 1 });
    assert.equal(detailIn('12', { name: 'ANY' }), '12');
  });

  it('makes YAML that reads back as what was given, however deep', () => {
    const deep = [{ a: [], b: {}, c: [[1, 'x: y'], []] }, null, true, 1.5, 'no'];
    const given = filledIn(['shop', '', '', JSON.stringify(deep)], { ...none, project: [{ name: 'DEEP: #' }] }, ['DEEP: #']);
    const [project] = parsePayload(given.text, 'form').projects;
    assert.deepEqual(project?.EXTRAS, { 'DEEP: #': deep });
  });
});

describe('The EXTRAS of a template set', () => {
  it('are what its templates read of a project, a package and a module, by whatever name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-extras-'));
    try {
      await writeFile(
        join(folder, 'ptree.yaml.j2'),
        `{%- for box in PROJ.PKGS %}{% for part in box.MODULES|sort(attribute="NAME") %}
{{ box.EXTRAS.COLOR }} {{ part.EXTRAS['SIZE'] }} {{ part.EXTRAS.get("WEIGHT") }} {{ other.EXTRAS.NOT }} {{ FILE.EXTRAS.NO }}
{% endfor %}{% for key in PROJ.EXTRAS.items() %}{% endfor %}{{ PROJ.EXTRAS.OWNER }}{{ MOD.EXTRAS.SIZE }}{% endfor %}
text PKG.EXTRAS.OUTSIDE`,
      );
      await writeFile(join(folder, 'payload.yaml'), 'PROJECTS: [{ NAME: a, EXTRAS: { OWNER: me, RATIO: 1.0 } }]');
      assert.deepEqual(await extrasOf(folder), {
        project: [
          { name: 'OWNER', example: 'me' },
          { name: 'RATIO', example: 1 },
        ],
        package: [{ name: 'COLOR' }],
        module: [{ name: 'SIZE' }, { name: 'WEIGHT' }],
      });
      await writeFile(join(folder, 'payload.yaml'), 'PROJECTS: [');
      assert.deepEqual((await extrasOf(folder)).project, [{ name: 'OWNER' }]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
