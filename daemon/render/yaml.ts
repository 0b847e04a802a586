/** YAML as PyYAML's safe loader reads it: 1.1 words, last of duplicate keys wins (with a warning), floats told from integers. */
import { type Document, isCollection, isScalar, LineCounter, parseDocument, type ScalarTag, visit } from 'yaml';
import { PeagenError } from '../../shared/errors.ts';
import { IntegralFloat } from './jinja/python.ts';

/** `y` and `n` are texts, and a float has a point, in PyYAML. */
const words: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  resolve: (text) => /^(?:yes|true|on)$/i.test(text),
};
const floats: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?)$/,
  resolve: (text) => {
    const value = Number.parseFloat(text.replaceAll('_', ''));
    return Number.isInteger(value) ? new IntegralFloat(value) : value;
  },
};

/** The tree of nodes with their places; for the value see readYaml. */
function parseYaml(text: string): { document: Document.Parsed; lines: LineCounter } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    lineCounter: lines,
    stringKeys: false,
    customTags: (tags) => [
      words,
      floats,
      ...tags.filter(
        (tag) => typeof tag !== 'object' || (!/:(?:bool|timestamp|binary|set|omap|pairs)$/.test(tag.tag) && !isPlainFloat(tag)),
      ),
    ],
  });
  return { document, lines };
}

export function readYaml(text: string, path: string): { value: unknown; warnings: string[] } {
  const { document, lines } = parseYaml(text);
  const [fault] = document.errors;
  if (fault !== undefined) {
    const [line = ''] = fault.message.split('\n');
    throw new PeagenError('invalid_input', `${path} is not valid YAML: ${line}`, { hint: 'Fix the file.' });
  }
  const odd = collectionKey(document, lines);
  if (odd !== undefined) {
    const message = `${path} is not valid YAML: the key in line ${odd} is a list or a mapping.`;
    throw new PeagenError('invalid_input', message, { hint: 'Give it a key that is a text or a number.' });
  }
  const warnings = duplicates(document, lines).map((what) => `${path}: ${what}; the last one counts.`);
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }), warnings };
  } catch (caught) {
    throw new PeagenError('invalid_input', `${path} is not valid YAML: ${caught instanceof Error ? caught.message : caught}`, {
      hint: 'Fix the file.',
      cause: caught,
    });
  }
}

function isPlainFloat(tag: object): boolean {
  if (!('tag' in tag) || tag.tag !== 'tag:yaml.org,2002:float' || !('test' in tag) || !(tag.test instanceof RegExp)) return false;
  return tag.test.test('1.5') || tag.test.test('1e3');
}

/** The line of a key that no dictionary of Python can have; undefined when there is none. */
function collectionKey(document: Document.Parsed, lines: LineCounter): number | undefined {
  let line: number | undefined;
  visit(document, {
    Map(_key, node) {
      const odd = node.items.find(({ key }) => isCollection(key));
      if (odd === undefined) return undefined;
      line = lines.linePos(isCollection(odd.key) ? (odd.key.range?.[0] ?? 0) : 0).line;
      return visit.BREAK;
    },
  });
  return line;
}

function duplicates(document: Document.Parsed, lines: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map(_key, node) {
      const seen = new Set<string>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const line = key.range === undefined || key.range === null ? 0 : lines.linePos(key.range[0]).line;
        if (seen.has(name) && name !== '<<') found.push(`the key "${name}" is there twice (line ${line})`);
        seen.add(name);
      }
    },
  });
  return found;
}
