/** Mistakes in a payload file or a list of files, at their places. */
import { dirname } from 'node:path';
import { isNode, type LineCounter } from 'yaml';
import { PeagenError } from '../../../shared/errors.ts';
import type { RenderFault } from '../../../shared/protocol/render.ts';
import { differencesIn } from '../jinja/differences.ts';
import { outcomeText } from '../jinja/direct.ts';
import { Payload, parsePayload } from '../payload.ts';
import { parseRecords } from '../records.ts';
import { FILE_LIST, findTemplateSet, TemplateSearch } from '../sets/search.ts';
import { parseYaml } from '../yaml.ts';
import { isPayload, setAround, type TemplatePlace, useOf } from './uses.ts';

export async function checkRenderFile(path: string, text: string, place: TemplatePlace): Promise<RenderFault[]> {
  if (path.endsWith(FILE_LIST)) return checkList(path, text, place);
  return isPayload(path, text) ? checkPayload(path, text, place) : [];
}

async function checkPayload(path: string, text: string, place: TemplatePlace): Promise<RenderFault[]> {
  const { document, lines } = parseYaml(text);
  const fault = (from: number, to: number, message: string, severity: RenderFault['severity'] = 'error'): RenderFault => ({
    start: positionIn(lines, from),
    end: positionIn(lines, Math.max(to, from + 1)),
    severity,
    message,
  });
  if (document.errors.length > 0) {
    return document.errors.map(({ pos: [from, to], message }) =>
      fault(from, to, message.split('\n')[0]?.replace(/ at line.*$/, '.') ?? ''),
    );
  }
  const parsed = Payload.safeParse(document.toJS({ maxAliasCount: 1000 }));
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => {
      const keys = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
      let range: readonly [number, number] = [0, 1];
      // The place of the nearest part that is there.
      for (let length = keys.length; length > 0; length--) {
        const node = document.getIn(keys.slice(0, length), true);
        if (!isNode(node) || node.range == null) continue;
        range = [node.range[0], node.range[1]];
        break;
      }
      return fault(range[0], Math.min(range[1], lineEnd(text, range[0])), `${keys.join('.')}: ${issue.message}`);
    });
  }
  const faults: RenderFault[] = [];
  try {
    for (const warning of parsePayload(text, path).warnings) {
      const line = Number(/\(line (\d+)\)/.exec(warning)?.[1] ?? 1) - 1;
      faults.push({ ...lineOf(text, line), severity: 'warning', message: warning.slice(path.length + 2) });
    }
  } catch (caught) {
    const { message } = PeagenError.from(caught);
    const name = /"([^"]*)"\.$/.exec(message)?.[1];
    const at = name === undefined ? 0 : Math.max(0, text.lastIndexOf(name));
    return [fault(at, at + (name?.length ?? 1), message)];
  }
  for (const [index, project] of parsed.data.PROJECTS.entries()) {
    const places = [
      ['TEMPLATE_SET'],
      ...project.PACKAGES.flatMap((_, at) => ['TEMPLATE_SET', 'TEMPLATE_SET_OVERRIDE'].map((key) => ['PACKAGES', at, key])),
    ];
    for (const keys of places) {
      const node = document.getIn(['PROJECTS', index, ...keys], true);
      if (!isNode(node) || node.range == null) continue;
      const name = String(node.toJS(document));
      const missing = await findTemplateSet(name, { ...place, home: dirname(path) }).then(() => undefined, PeagenError.from);
      if (missing !== undefined) faults.push(fault(node.range[0], node.range[1], missing.line, 'warning'));
    }
  }
  return faults;
}

/** A list is a template: it is rendered for a payload that uses it, and what comes out is looked at. */
async function checkList(path: string, text: string, place: TemplatePlace): Promise<RenderFault[]> {
  const set = await setAround(path);
  if (set === undefined || set.name !== FILE_LIST) return [];
  const faults: RenderFault[] = differencesIn(text).map(({ advice }) => ({
    ...lineOf(text, 0),
    severity: 'warning',
    message: advice,
  }));
  const use = await useOf(path, place);
  const search = new TemplateSearch(set.folder, { ...place, home: place.workspace });
  try {
    const { sources } = await search.closure(FILE_LIST);
    const rendered = await outcomeText({
      sources: { ...sources, ...use?.sources, [FILE_LIST]: use === undefined ? `{% if false %}${text}{% endif %}` : text },
      entry: FILE_LIST,
      shared: use?.shared ?? '{}',
      context: use?.context ?? '{}',
    });
    const { records, warnings } = parseRecords(rendered, FILE_LIST);
    for (const message of warnings) faults.push({ ...lineOf(text, 0), severity: 'warning', message });
    for (const { FILE_NAME: name, PROCESS_TYPE: type } of records) {
      const known =
        /\{[{%#]/.test(name) || (await search.source(name)) !== undefined || (await search.source(`${name}.j2`)) !== undefined;
      if (!known) faults.push({ ...placeOf(text, name), severity: 'error', message: `The template "${name}" is nowhere.` });
      if (type != null && !/^(?:copy|generate)$/i.test(type)) {
        faults.push({ ...placeOf(text, type), severity: 'error', message: `PROCESS_TYPE is COPY or GENERATE, not "${type}".` });
      }
    }
  } catch (caught) {
    const { message } = PeagenError.from(caught);
    const line = Number(/ptree\.yaml\.j2:(\d+)/.exec(message)?.[1] ?? 1) - 1;
    faults.push({ ...lineOf(text, line), severity: 'error', message });
  }
  return faults;
}

function positionIn(lines: LineCounter, offset: number): RenderFault['start'] {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(0, line - 1), character: Math.max(0, col - 1) };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function lineOf(text: string, line: number): Pick<RenderFault, 'start' | 'end'> {
  const content = text.split('\n')[line] ?? '';
  return {
    start: { line, character: content.length - content.trimStart().length },
    end: { line, character: Math.max(1, content.trimEnd().length) },
  };
}

/** Where a text stands, else the first line. */
function placeOf(text: string, wanted: string): Pick<RenderFault, 'start' | 'end'> {
  const line = text.split('\n').findIndex((each) => each.includes(wanted));
  if (line < 0) return lineOf(text, 0);
  const character = text.split('\n')[line]?.indexOf(wanted) ?? 0;
  return { start: { line, character }, end: { line, character: character + wanted.length } };
}
