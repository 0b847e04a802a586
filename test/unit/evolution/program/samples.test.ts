import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'smol-toml';
import * as z from 'zod';
import { samplesDir } from '../../../../daemon/assets.ts';
import { loadTarget } from '../../../../daemon/evolution/target.ts';
import { Config } from '../../../../shared/config.ts';
import { Calls } from '../../../../shared/judging.ts';

const run = promisify(execFile);

/** Calls the sample's function in Python and a second, independent one; prints where they differ. */
const compare = `
import heapq, json, sys
def bad_sort(items):
    return sorted(items)
def slow_shortest(graph, start):
    places = set(graph) | {n for streets in graph.values() for n in streets}
    if start not in places:
        raise KeyError(start)
    found, heap = {}, [(0, start)]
    while heap:
        length, place = heapq.heappop(heap)
        if place not in found:
            found[place] = length
            for n, street in graph.get(place, {}).items():
                heapq.heappush(heap, (length + street, n))
    return [[place, found[place]] for place in sorted(found, key=lambda p: (found[p], p))]
def outcome(fn, args):
    try:
        return json.dumps(fn(*json.loads(json.dumps(args))))
    except KeyError as error:
        return "KeyError " + str(error)
name, source, inputs = sys.argv[1:]
scope = {}
exec(open(source).read(), scope)
for args in json.load(open(inputs)):
    ours, expected = outcome(scope[name], args), outcome(globals()[name], args)
    if ours != expected:
        print(args, ours, expected)
`;

const inputsOf = async (sample: string, name: string) =>
  Calls.parse(JSON.parse(await readFile(join(samplesDir, sample, `${name}.json`), 'utf8')));

describe('the samples', () => {
  for (const sample of ['bad_sort', 'bad_sort_js', 'slow_shortest']) {
    it(`${sample} is configured, and its held-out inputs are no inputs of the search`, async () => {
      const config = Config.parse(parse(await readFile(join(samplesDir, sample, '.peagen.toml'), 'utf8')));
      const { target_file: path, entry_fn } = config.mutate;
      assert.ok(path !== undefined && entry_fn !== undefined);
      const { entry } = await loadTarget({ root: join(samplesDir, sample), path, entry_fn });
      assert.deepEqual(entry, { path, fn: entry_fn });
      assert.deepEqual([config.evaluate.inputs, config.evaluate.heldout], ['inputs.json', 'heldout.json']);
      const searched = new Set((await inputsOf(sample, 'inputs')).map((call) => JSON.stringify(call)));
      for (const call of await inputsOf(sample, 'heldout')) assert.ok(!searched.has(JSON.stringify(call)), JSON.stringify(call));
    });
  }

  for (const sample of ['bad_sort', 'slow_shortest']) {
    for (const name of ['inputs', 'heldout']) {
      it(`${sample} is right on its ${name}`, async () => {
        const source = join(samplesDir, sample, `${sample}.py`);
        const { stdout } = await run('python3', ['-c', compare, sample, source, join(samplesDir, sample, `${name}.json`)]);
        assert.equal(stdout, '');
      });
    }
  }

  it('bad_sort_js is right on all its inputs', async () => {
    const Row = z.object({ name: z.string(), score: z.number() });
    const Module = z.object({ badSort: z.custom<(rows: unknown) => unknown>((value) => typeof value === 'function') });
    const { badSort } = Module.parse(await import(pathToFileURL(join(samplesDir, 'bad_sort_js', 'bad_sort.js')).href));
    for (const call of [...(await inputsOf('bad_sort_js', 'inputs')), ...(await inputsOf('bad_sort_js', 'heldout'))]) {
      const rows = z.array(Row).parse(call.args[0]);
      const expected = rows.toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      assert.deepEqual(badSort(structuredClone(rows)), expected);
    }
  });
});
