/**
 * What evaluators in a sandbox, servers of forks, models and the files of a project say may be anything: it becomes an outcome,
 * a value or one clear error. Seeded and bounded; a failure prints the input.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import * as z from 'zod';
import { openForked } from '../../../daemon/executors/fork-server.ts';
import { hostBegins } from '../../../daemon/executors/idle.ts';
import { defaultLimits, type Executor, type Sandbox, type SandboxExit } from '../../../daemon/executors/sandbox.ts';
import type { EvaluatorContext } from '../../../daemon/judging/evaluator.ts';
import { createFolderEvaluator } from '../../../daemon/judging/folder/folder.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { makeCalls } from '../../../daemon/judging/function/maker.ts';
import { Survey } from '../../../daemon/judging/inputs/survey.ts';
import { dialects } from '../../../daemon/llm/backends/dialects.ts';
import { renderEmbedded } from '../../../daemon/render/jinja/embedded.ts';
import { replyOf } from '../../../daemon/render/jinja/jinja2.ts';
import { withMemoryLimit } from '../../../daemon/render/jinja/wasm.ts';
import { readManifest } from '../../../daemon/render/manifest.ts';
import { parsePayload } from '../../../daemon/render/payload.ts';
import { order, parseRecords } from '../../../daemon/render/records.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { OutcomeKind } from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import { programOf } from '../answers/corpus/program.ts';

const settings = { seed: 20_260_131, numRuns: 300, endOnFailure: true };
const json = fc.jsonValue({ maxDepth: 4 });
const ended: SandboxExit = { cause: 'exit', code: 1, signal: null, stderr: 'why', wallMs: 1 };

/** An object that has some of the keys, with anything behind each. */
const some = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), json);

/** A sandbox in which these lines are said; `$` stands for the word that it received last. */
function saying(lines: readonly string[], channels: readonly Socket[] = []): Sandbox {
  const rest = [...lines];
  let word = '';
  return {
    send: (line) => {
      word = line;
    },
    receive: async () => rest.shift()?.replace('$', () => word),
    exited: Promise.resolve(ended),
    kill: () => undefined,
    channels,
  };
}

/** A runner that gives one of these values to each order, in turns, with the order's id. */
function answering(values: readonly object[]): Sandbox {
  const said = ['ready'];
  let count = 0;
  const waiting = Promise.withResolvers<undefined>();
  return {
    send: (lines) => {
      for (const line of lines.split('\n')) {
        const { id } = z.object({ id: z.number() }).parse(JSON.parse(line));
        said.push(JSON.stringify({ ...values[count++ % values.length], id }));
      }
    },
    receive: async () => said.shift() ?? (await waiting.promise),
    exited: Promise.resolve(ended),
    kill: () => waiting.resolve(undefined),
    channels: [],
  };
}

const executor = (open: Executor['open'], nests = false): Executor => ({
  ...{ name: 'said', nests, open },
  unavailable: async () => undefined,
});

const contextOf = (sandbox: () => Sandbox): EvaluatorContext => ({
  ...{ signal: new AbortController().signal, log: createLog({ level: 'silent' }), deterministic: false },
  ...{ toBeat: undefined, effort: 'quick' },
  sandboxes: { tier: executor(async () => sandbox()), warning: undefined, limits: defaultLimits },
});

/** Undefined for one clear error; anything else that is thrown fails. */
async function orError<T>(work: Promise<T>): Promise<T | undefined> {
  return await work.catch((caught: unknown) => {
    assert.ok(caught instanceof PeagenError, `${caught instanceof Error ? caught.stack : caught}`);
    return undefined;
  });
}

describe('a program that says anything', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'peagen-fuzz-'));
    writeFileSync(join(folder, 'evaluator.py'), '');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('as the evaluator of a folder gets an outcome that the journal can hold', async () => {
    const keys = ['metrics', 'artifacts', 'error', 'unusable', 'wrong', 'note', 'together', 'doubted', 'lines'];
    const metrics = fc.dictionary(fc.string(), fc.double()).map((found) => ({ metrics: found }));
    const said = fc.oneof(
      fc.string(),
      fc.oneof(json, some(...keys), metrics).map((value) => `$ ${JSON.stringify(value)}`),
      fc.nat({ max: 50_000 }).map((size) => `$ ${JSON.stringify({ error: 'x'.repeat(size) })}`),
    );
    const spec = { name: 'openevolve', options: { root: folder } };
    const basis: Basis = { evaluator: spec, original: programOf('x = 1\n'), data: { score: 1, ms: 1, apart: true } };
    await fc.assert(
      fc.asyncProperty(said, async (line) => {
        const judged = createFolderEvaluator('openevolve').judge(
          programOf('x = 2\n'),
          basis,
          contextOf(() => saying([line])),
        );
        const found = await orError(judged);
        if (found === undefined) return;
        OutcomeKind.parse(found.outcome.kind);
        assert.ok(found.outcome.detail.length < 20_000);
        for (const value of Object.values(found.metrics)) assert.ok(Number.isFinite(value));
      }),
      settings,
    );
  });

  it('as the runner of a function gets an outcome, and as its survey a sighting of each call, or one clear error', async () => {
    const call = { args: [1], kwargs: {} };
    const entry = { path: programOf('').files[0]?.path ?? '', fn: 'f' };
    const source = { files: [{ path: entry.path, text: 'f = abs\n' }], entry };
    const results = [{ value: 1 }, { value: 1 }];
    const known = { callsMs: 1, timedMs: 1, loadMs: 1, cost: 0, stateful: false };
    const data = { results, unstable_effects: [], ...known, source };
    const evaluator = { name: 'function', options: { entry, calls: [call, call] } };
    const basis: Basis = { evaluator, original: programOf('f = abs\n'), data };
    const one = { value: 1, names: { globals: [], instance: [] }, large: {}, peak_bytes: 1, wall_ns: 10, waited_ns: 0 };
    const usual = { ...one, outputs: results, results: [], told: [] };
    const odd = some(...Object.keys(usual), 'args', 'effects', 'raised', 'error', 'awaited', 'memory', 'cut', 'notes', 'cost');
    const answers = fc.array(
      fc.oneof(
        { arbitrary: fc.constant(usual), weight: 6 },
        odd.map((found) => ({ ...usual, ...found })),
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(answers, async (values) => {
        const context = contextOf(() => answering(values));
        const found = await orError(createFunctionEvaluator().judge(programOf('f = len\n'), basis, context));
        if (found !== undefined) {
          OutcomeKind.parse(found.outcome.kind);
          for (const value of Object.values(found.metrics)) assert.ok(Number.isFinite(value), JSON.stringify(found.metrics));
        }
        const survey = new Survey(context.sandboxes, 'python', { ...source, lines: [[1, 1]] }, context.signal);
        const seen = await orError(survey.run([call, call], { steps: 1, cpuMs: 1 }, true));
        assert.ok(seen === undefined || seen.length === 2);
        const caught = await orError(survey.mutants(['a', 'b'], [call], { steps: 1, cpuMs: 1 }, 1));
        assert.ok(caught === undefined || caught.length === 2);
        await orError(makeCalls(programOf('f = list\n'), entry, context.sandboxes, context.signal));
        await orError(survey.close());
      }),
      settings,
    );
  });

  it('as a server of forks ends each use with an exit', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const place = listener.address();
    assert.ok(typeof place === 'object' && place !== null);
    const said = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom('kept', 'ended ', 'ended {}', 'ready'),
        fc.oneof(json, some('code', 'stderr')).map((value) => `ended ${JSON.stringify(value)}`),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(said, fc.nat(), async (lines, state) => {
        const channel = connect(place.port, '127.0.0.1');
        const [theirs]: Socket[] = await once(listener, 'connection');
        theirs?.on('error', () => undefined).end('out\n');
        const tier = executor(async () => saying(['ready', ...lines], [channel]), true);
        const spec = { runtime: 'python', argv: [], limits: defaultLimits } as const;
        const sandbox = await openForked(tier, spec, String(state));
        assert.ok(sandbox !== undefined);
        const exit = await sandbox.exited;
        assert.ok(exit.code === null || Number.isInteger(exit.code));
        assert.equal(typeof exit.stderr, 'string');
        assert.ok(['exit', 'timeout', 'memory', 'output', 'killed'].includes(exit.cause));
        // As a host that closes does.
        hostBegins()();
      }),
      { ...settings, numRuns: 100 },
    );
    listener.close();
  });

  it('as a model, in each protocol, gives a piece of text or none', () => {
    const event = fc.oneof(
      json,
      some('choices', 'usage', 'type', 'delta', 'message', 'response', 'candidates', 'usageMetadata', 'content_block', 'error'),
    );
    fc.assert(
      fc.property(event, (value) => {
        for (const dialect of Object.values(dialects)) {
          const { text = '', prompt = 0, completion = 0, fault = '' } = dialect.read(value);
          assert.deepEqual([typeof text, typeof fault], ['string', 'string']);
          assert.ok(Number.isInteger(prompt) && Number.isInteger(completion));
        }
      }),
      settings,
    );
  });
});

describe('files of a project that say anything', () => {
  const record = some('FILE_NAME', 'RENDERED_FILE_NAME', 'PROCESS_TYPE', 'EXTRAS', 'PROJECT_NAME', 'MODULE_NAME');
  const project = some('NAME', 'ROOT', 'PACKAGES', 'EXTRAS', 'TEMPLATE_SET');
  const text = (...found: fc.Arbitrary<unknown>[]) =>
    fc.oneof(
      fc.string(),
      fc.constantFrom('&a [*a]', '? ? ?', '- {', '!!binary x', '? '.repeat(200), '%YAML 9.9\n---\n', '<<: *x'),
      ...found.map((one) => one.map((value) => JSON.stringify(value))),
    );

  const orNone = (decode: () => unknown): void => {
    try {
      decode();
    } catch (caught) {
      assert.ok(caught instanceof PeagenError, `${caught}`);
    }
  };

  it('are templates with an outcome, and engines with replies, or one clear error', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '{{ a }}',
        '{% for x in a %}',
        '{% endfor %}',
        '{{ a.b[0]|',
        'tojson }}',
        '{%- if a -%}',
        '{% include "b" %}',
        '{#',
        '{{',
      ),
    );
    const template = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    const context = text(json, some('a', 'b', '__proto__'), fc.record({ a: json }));
    const reply = some('ready', 'missing', 'text', 'error', 'template', 'large', 'done');
    fc.assert(
      fc.property(template, context, context, text(json, reply), (source, shared, own, line) => {
        const jobs = [{ template: 'a', context: own }];
        renderEmbedded({ sources: { a: source, b: '{{ a }}' }, shared, jobs }, (outcome) => {
          return ['text', 'failed'].includes(outcome.kind) || assert.fail(JSON.stringify(outcome));
        });
        orNone(() => replyOf(line));
      }),
      { ...settings, numRuns: 150 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (module) => {
        try {
          withMemoryLimit(module, 16);
        } catch (caught) {
          assert.match(String(caught), /no memory section/);
        }
      }),
      settings,
    );
  });

  it('are payloads, lists of records and manifests, or one clear error', () => {
    const payloads = project.map((one) => ({ PROJECTS: [one] }));
    fc.assert(
      fc.property(text(json, payloads), text(json, fc.array(record), some('FILES')), (payload, records) => {
        orNone(() => parsePayload(payload, 'payload.yaml'));
        orNone(() => parseRecords(records, 'ptree.yaml.j2'));
        assert.ok(readManifest(payload) instanceof Map);
      }),
      settings,
    );
  });

  it('that depend on each other in any way have an order, or one clear error', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', '');
    const files = fc.uniqueArray(fc.record({ output: name, dependencies: fc.array(name, { maxLength: 3 }) }), {
      selector: ({ output }) => output,
    });
    fc.assert(
      fc.property(files, (found) => {
        try {
          const { ordered } = order(found);
          assert.deepEqual(ordered.map(({ output }) => output).sort(), found.map(({ output }) => output).sort());
        } catch (caught) {
          assert.ok(caught instanceof PeagenError, `${caught}`);
        }
      }),
      settings,
    );
  });
});
