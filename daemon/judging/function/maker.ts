/** Inputs that a function of the user's makes: it is called once, in a sandbox, and what it returns is read as calls. */
import { PeagenError } from '../../../shared/errors.ts';
import { type Call, Calls } from '../../../shared/judging.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import { type Runner, RunnerPool } from '../../executors/runner.ts';
import type { SandboxFactory } from '../../executors/sandbox.ts';
import { failureOf, load, runtimeOf, sourceOf } from './correctness.ts';
import { CallResult, outcome } from './result.ts';
import type { Value } from './values.ts';

/** A sample has at most this many calls. */
const MOST_CALLS = 10_000;

/** `program` with all that it imports. Throws `invalid_input` when the function fails or returns no calls. */
export async function makeCalls(program: Program, maker: Entry, sandboxes: SandboxFactory, signal: AbortSignal): Promise<Call[]> {
  const pool = new RunnerPool(sandboxes, runtimeOf(program.language), signal);
  try {
    return callsOf(await pool.use((runner) => answerOf(runner, program, maker, sandboxes.limits.wallMs)), maker);
  } finally {
    await pool.close();
  }
}

async function answerOf(runner: Runner, program: Program, maker: Entry, withinMs: number): Promise<Value> {
  const source = await sourceOf(runner, program, maker, withinMs);
  if ('kind' in source) throw fails(maker, source.detail);
  const problem = await load(runner, source, withinMs);
  if (problem !== undefined) throw fails(maker, problem.detail);
  const reply = await runner.ask({ op: 'call', args: [], kwargs: {} }, withinMs);
  const failure = failureOf(reply, maker.fn, withinMs);
  if (failure !== undefined) throw fails(maker, failure.detail);
  const answer = CallResult.safeParse(reply.kind === 'answer' ? reply.value : {});
  const { value, error } = answer.data ?? {};
  if (value === undefined) throw fails(maker, outcome('crashed', error ?? 'it answered nothing.').detail);
  return value;
}

const fails = ({ fn, path }: Entry, detail: string): PeagenError =>
  new PeagenError('invalid_input', `${fn} in ${path} made no inputs: ${detail}`, {
    hint: 'It is called without arguments and yields or returns calls, each a list of arguments.',
  });

type Tagged = { readonly [tag: string]: Value };
const isTagged = (value: Value): value is Tagged => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The items of a list, a tuple or a generator. */
function itemsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isTagged(value)) return undefined;
  const items = value['tuple'] ?? value['generator'];
  return Array.isArray(items) ? items : undefined;
}

/** Fields of a dictionary whose keys are strings. */
function fieldsOf(value: Value): Map<string, Value> | undefined {
  const pairs = isTagged(value) ? value['dict'] : undefined;
  if (!Array.isArray(pairs)) return undefined;
  const fields = new Map<string, Value>();
  for (const pair of pairs) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return undefined;
    fields.set(pair[0], pair[1] ?? null);
  }
  return fields;
}

/** Exported for its tests. */
function callsOf(value: Value, maker: Entry): Call[] {
  const items = itemsOf(value);
  if (items === undefined) throw fails(maker, 'it answered no list.');
  if (items.length === 0 || items.length > MOST_CALLS) throw fails(maker, `it made ${items.length} calls.`);
  const written = items.map((item, index) => {
    const fields = fieldsOf(item);
    const args = fields === undefined ? itemsOf(item) : (itemsOf(fields.get('args') ?? []) ?? undefined);
    if (args === undefined) throw fails(maker, `call ${index + 1} is not a list of arguments.`);
    const init = fields?.get('init');
    return {
      args,
      kwargs: Object.fromEntries(fieldsOf(fields?.get('kwargs') ?? { dict: [] }) ?? []),
      ...(init === undefined ? {} : { init: { args: itemsOf(init) ?? [] } }),
      typed: true,
    };
  });
  return Calls.parse(written);
}
