import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { differences, differencesIn } from '../../../daemon/render/jinja/differences.ts';
import { openTemplateEngine } from '../../../daemon/render/jinja/engine.ts';
import { jinja2Engine } from '../../../daemon/render/jinja/jinja2.ts';
import { minijinjaEngine } from '../../../daemon/render/jinja/minijinja.ts';
import { pluralRules, singularRules } from '../../../daemon/render/jinja/words.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { context, corpus, sources } from './render-corpus.ts';
import { jinjaOracle } from './render-oracle.ts';

const { signal } = new AbortController();

async function render(engine: typeof jinja2Engine, template: string, values = context): Promise<string> {
  const batch = { sources: { ...sources, template }, shared: '{}', jobs: [{ template: 'template', context: values }] };
  const [outcome] = await engine.render(batch, signal);
  assert(outcome !== undefined);
  if (outcome.kind === 'failed') throw new PeagenError(outcome.code, outcome.message, { hint: outcome.hint });
  return outcome.text;
}

describe('The template engines', () => {
  const templates = corpus();
  let expected: readonly (string | null)[];

  before(async function () {
    const answers = await jinjaOracle(sources, templates, context);
    if (answers === undefined) {
      assert.equal(process.env['CI'], undefined, 'python3-jinja2 is missing');
      this.skip();
    }
    expected = answers;
  });

  it('are compared over at least 300 templates that Jinja2 renders', () => {
    assert(expected.filter((text) => text !== null).length >= 300);
  });

  it('give what Jinja2 gives, byte for byte, with the engine jinja2', async () => {
    for (const [index, template] of templates.entries()) {
      const text = expected[index];
      if (text === null) await assert.rejects(render(jinja2Engine, template), { code: 'invalid_input' });
      else assert.equal(await render(jinja2Engine, template), text, template);
    }
  });

  it('give what Jinja2 gives with the engine minijinja, but for what is documented', async () => {
    for (const [index, template] of templates.entries()) {
      if (differencesIn(template).length > 0) continue;
      const text = expected[index];
      if (text === null) await assert.rejects(render(minijinjaEngine, template), { code: 'invalid_input' });
      else assert.equal(await render(minijinjaEngine, template), text, template);
    }
  });

  it('agree on nearly all of the corpus: the documented differences are rare', () => {
    const excepted = templates.filter((template) => differencesIn(template).length > 0);
    assert(excepted.length < templates.length / 20, `${excepted.length} of ${templates.length}`);
  });

  it('find a template whose name has "./" or "//" in it, as Jinja2 does among files', async () => {
    for (const name of ['"./part.html"', '"." ~ "/part.html"', '["none", ".//part.html"]'])
      for (const engine of [jinja2Engine, minijinjaEngine])
        assert.equal(await render(engine, `{% include ${name} %}`), '<i>cartTrue</i>', name);
  });

  for (const { name, example } of differences) {
    it(`differ in ${name}, as documented`, async () => {
      const values = '{"whole": 1.0}';
      const python = await render(jinja2Engine, example, values);
      const embedded = await render(minijinjaEngine, example, values).catch((caught: PeagenError) => caught.code);
      assert.notEqual(embedded, python);
      assert(differencesIn(example).some((difference) => difference.name === name));
    });
  }

  it('differ as the documentation says, example by example', async () => {
    const lines = readFileSync(new URL('../../../daemon/render/README.md', import.meta.url), 'utf8').split('\n');
    const cell = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;
    for (const { name, example, advice } of differences) {
      const results: string[] = [];
      for (const engine of [jinja2Engine, minijinjaEngine]) {
        results.push(await render(engine, example, '{"whole": 1.0}').then(cell, () => 'an error'));
      }
      const row = `| ${name} | ${cell(example)} | ${results.join(' | ')} | ${advice} |`;
      assert(lines.includes(row), row);
    }
  });

  it('know the same words', async () => {
    const words = [
      'box',
      'entities',
      'person',
      'classes',
      'bus',
      'series',
      'status',
      'boy',
      'city',
      'leaves',
      'data',
      'analyses',
      '',
    ];
    const template = '{% for word in words %}{{ word|make_plural }} {{ word|make_singular }}\n{% endfor %}';
    const values = JSON.stringify({ words });
    assert.equal(await render(minijinjaEngine, template, values), await render(jinja2Engine, template, values));
    assert(pluralRules.length > 10 && singularRules.length > 10);
  });

  it('render the rest of a batch when one template fails, each with its own values before those of all', async () => {
    const batch = {
      sources: { a: '{{ x }}{{ y }}', b: '{{ x.y.z }}' },
      shared: '{"x":1,"y":2}',
      jobs: [
        { template: 'a', context: '{}' },
        { template: 'b', context: '{}' },
        { template: 'a', context: '{"y":3}' },
      ],
    };
    for (const engine of [minijinjaEngine, jinja2Engine]) {
      const outcomes = await engine.render(batch, signal);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.kind === 'text' ? outcome.text : outcome.code)),
        ['12', 'invalid_input', '13'],
      );
    }
  });

  it('name the template and the line of a mistake', async () => {
    for (const name of ['minijinja', 'jinja2'] as const) {
      const engine = await openTemplateEngine(name);
      await assert.rejects(render(engine, 'a\nb\n{% if %}'), {
        code: 'invalid_input',
        message: /"template".*(?:template:3|line 3)/,
      });
    }
  });
});

describe('A template bomb', () => {
  const bombs = {
    'a text of 1 GB': '{{ "x" * 1000000000 }}',
    'a text that doubles':
      '{% set ns = namespace(a="x") %}{% for i in range(60) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}{{ ns.a|length }}',
    'loops in loops': '{% for a in range(99999) %}{% for b in range(99999) %}{{ a * b }}{% endfor %}{% endfor %}',
    'sorting without end': '{% for a in range(99999) %}{% set x = range(99999)|list|sort %}{% endfor %}',
    'a macro that calls itself': '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
    'a template that includes itself': '{% include "template" %}',
    'filters in filters': `{{ ${'a|b('.repeat(20_000)}`,
  };
  for (const [name, bomb] of Object.entries(bombs)) {
    it(`ends by its fuel, in seconds: ${name}`, async () => {
      await render(minijinjaEngine, '{{ i }}');
      const began = performance.now();
      await assert.rejects(render(minijinjaEngine, bomb), ({ code }: PeagenError) =>
        ['invalid_input', 'too_large'].includes(code),
      );
      const took = performance.now() - began;
      assert(took < 15_000, `${took} ms`);
      assert.equal(await render(minijinjaEngine, '{{ i }}'), '42', 'the next template is rendered');
    });
  }

  it('ends in Python too', async () => {
    await assert.rejects(render(jinja2Engine, bombs['a text that doubles']), { code: 'too_large' });
    assert.equal(await render(jinja2Engine, '{{ i }}'), '42');
  });

  it('cannot reach out of its sandbox', async () => {
    await assert.rejects(render(jinja2Engine, '{{ "".__class__.__mro__[1].__subclasses__() }}'), { code: 'invalid_input' });
    await assert.rejects(render(jinja2Engine, '{% include "/etc/hostname" %}'), { code: 'invalid_input' });
  });
});
