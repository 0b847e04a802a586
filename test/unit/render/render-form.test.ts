import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { templateSetsDir } from '../../../daemon/assets.ts';
import { Payload, parsePayload } from '../../../daemon/render/payload.ts';
import { extrasOf } from '../../../daemon/render/sets/extras.ts';
import { detailIn, payloadOf } from '../../../extension/render/details.ts';
import { type Detail, type Schema, yamlOf } from '../../../extension/render/questions.ts';
import type { SetExtras } from '../../../shared/protocol/render.ts';

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
