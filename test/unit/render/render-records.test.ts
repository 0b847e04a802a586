import assert from 'node:assert/strict';
import fc from 'fast-check';
import { writeJson } from '../../../daemon/render/jinja/python.ts';
import { parsePayload, slugOf } from '../../../daemon/render/payload.ts';
import { byCodePoint, order, parseRecords } from '../../../daemon/render/records.ts';
import { readYaml } from '../../../daemon/render/yaml.ts';

const file = (output: string, ...dependencies: string[]) => ({ output, dependencies });
const outputs = (files: readonly { output: string }[]) => files.map(({ output }) => output);

describe('The order of rendered files', () => {
  it('has dependencies first, and ties by code point', () => {
    const { ordered, levels } = order([file('b', 'z'), file('é'), file('B'), file('z'), file('\u{1F600}'), file('\uFF5E')]);
    assert.deepEqual(outputs(ordered), ['B', 'z', 'b', 'é', '\uFF5E', '\u{1F600}']);
    assert.deepEqual(levels.map(outputs), [['B', 'z', 'é', '\uFF5E', '\u{1F600}'], ['b']]);
  });

  it('ignores dependencies that no record makes', () => {
    assert.deepEqual(outputs(order([file('b', 'gone'), file('a')]).ordered), ['a', 'b']);
  });

  it('keeps the last of several records with one output, and says so', () => {
    const first = { ...file('a'), template: 1 };
    const { ordered, warnings } = order([first, { ...file('a'), template: 2 }]);
    assert.deepEqual(ordered, [{ ...file('a'), template: 2 }]);
    assert.match(warnings.join(), /a is named by several records/);
  });

  it('names the cycle', () => {
    const files = [file('free'), file('after', 'a'), file('a', 'c'), file('b', 'a'), file('c', 'b')];
    assert.throws(() => order(files), { code: 'invalid_input', message: /a → c → b → a/ });
    assert.throws(() => order([file('self', 'self')]), { message: /self → self/ });
  });

  it('is topological, complete and independent of the order of the records', () => {
    const graphs = fc.array(fc.record({ name: fc.nat(30), needs: fc.array(fc.nat(30), { maxLength: 4 }) }), { maxLength: 30 });
    fc.assert(
      fc.property(graphs, fc.nat(), (graph, turn) => {
        const unique = new Map(graph.map(({ name, needs }) => [name, needs.filter((need) => need < name)]));
        const files = Array.from(unique, ([name, needs]) => file(`f${name}`, ...needs.map((need) => `f${need}`)));
        const { ordered, levels } = order(files);
        const at = new Map(ordered.map(({ output }, index) => [output, index]));
        assert.equal(ordered.length, files.length);
        for (const { output, dependencies } of ordered) {
          for (const name of dependencies) assert((at.get(name) ?? -1) < (at.get(output) ?? 0));
        }
        const cut = files.length === 0 ? 0 : turn % files.length;
        assert.deepEqual(order([...files.slice(cut), ...files.slice(0, cut)]).ordered, ordered);
        assert.equal(levels.flat().length, files.length);
      }),
    );
  });

  it('compares as Python does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const [left, right] = [Buffer.from(a), Buffer.from(b)];
        assert.equal(Math.sign(byCodePoint(a, b)), Math.sign(Buffer.compare(left, right)), 'UTF-8 sorts by code point');
      }),
    );
  });

  it('orders 200,000 files in a chain, which in quadratic time would take hours', () => {
    const ordered = order(Array.from({ length: 200_000 }, (_, index) => file(`f${index}`, `f${index - 1}`)));
    assert.ok(ordered !== undefined);
  });
});

describe('A list of records', () => {
  it('is a list, or under FILES', () => {
    for (const yaml of ['- FILE_NAME: a\n', 'FILES:\n  - FILE_NAME: a\n']) {
      assert.deepEqual(parseRecords(yaml, 'ptree').records, [{ FILE_NAME: 'a' }]);
    }
    assert.deepEqual(parseRecords('', 'ptree').records, []);
  });

  it('takes the last of duplicate keys, with a warning that names the line', () => {
    const { records, warnings } = parseRecords('- FILE_NAME: a\n  FILE_NAME: b\n', 'ptree');
    assert.equal(records[0]?.FILE_NAME, 'b');
    assert.deepEqual(warnings, ['ptree: the key "FILE_NAME" is there twice (line 2); the last one counts.']);
  });

  it('is refused with its name when it is none', () => {
    assert.throws(() => parseRecords('just text', 'set/ptree.yaml.j2'), { code: 'invalid_input', message: /set\/ptree/ });
    assert.throws(() => parseRecords('a: [1', 'set/ptree.yaml.j2'), { code: 'invalid_input', message: /YAML/ });
  });
});

describe('A payload file', () => {
  it('is read as Python reads YAML', () => {
    const { value } = readYaml('{b: yes, a: off, y: y, f: 1.0, g: 1e3, h: 2.5, d: 2024-01-02, n: ~, o: 010, i: 7}', 'p');
    assert.equal(
      writeJson(value),
      '{"b":true,"a":false,"y":"y","f":1.0,"g":"1e3","h":2.5,"d":"2024-01-02","n":null,"o":8,"i":7}',
    );
  });

  it('is refused when it has no projects, or one of them twice', () => {
    assert.throws(() => parsePayload('PROJECTS: []', 'p.yaml'), { code: 'invalid_input', message: /p\.yaml/ });
    assert.throws(() => parsePayload('PROJECTS: [{NAME: a}, {NAME: A}]', 'p.yaml'), { code: 'invalid_input', message: /"a"/ });
  });

  it('cannot blow up by aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    assert.throws(() => parsePayload(lines.join('\n'), 'p.yaml'), { code: 'invalid_input' });
  });

  it('gives its manifest a name without surprises', () => {
    assert.equal(slugOf('../My Shop!'), 'my-shop');
    assert.equal(slugOf('***'), 'project');
  });
});
