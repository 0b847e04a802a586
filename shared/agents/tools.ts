/** The work behind the agents' tools, over any connection to a daemon. Answers are JSON text for a model to read. */
import type * as z from 'zod';
import { type Confidence, isVerified, verdictOf } from '../confidence.ts';
import { PeagenError } from '../errors.ts';
import { RunId, Sha256 } from '../ids.ts';
import { type EvaluatorSpec, isCorrect } from '../judging.ts';
import type { Elite } from '../niche.ts';
import { isOriginal } from '../original.ts';
import { DetectJudging, type WayToJudge } from '../protocol/judging.ts';
import type { RequestDefinition } from '../protocol/message.ts';
import { GetElite, ListElites, ListRuns, PlanRun, type RunRequest, StartRun } from '../protocol/runs.ts';
import { JudgeChange } from '../protocol/targets.ts';
import type { EliteDetail, RunInfo } from '../run.ts';
import type { TargetSpec } from '../run-spec.ts';
import { costText, unpaidText } from '../words/cost-text.ts';
import { nicheLabel } from '../words/niche-label.ts';
import type { ArchiveInput, EvolveInput, JudgeInput } from './inputs.ts';

export interface AgentHost {
  /** Absolute folder of the workspace. */
  readonly root: string;
  /** Whether a path below the folder is still in it once links are followed. */
  contains(path: string): Promise<boolean>;
  request<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
    signal: AbortSignal,
  ): Promise<z.output<R>>;
  /** Resolves when the run has ended, at the latest after `ms`. */
  ended(run: RunId, ms: number, signal: AbortSignal): Promise<void>;
}

type Judged = Pick<EvolveInput, 'file' | 'function' | 'inputs' | 'command'>;

/** `tell`: shows what the run can cost, before it is paid for. */
export async function evolve(
  host: AgentHost,
  input: EvolveInput,
  signal: AbortSignal,
  tell?: (cost: string) => Promise<void>,
): Promise<string> {
  const target = await targetOf(host, input);
  const request: RunRequest = {
    target,
    evaluator: await evaluatorOf(host, target, input, signal),
    ...(input.mutator === undefined ? {} : { mutator: input.mutator }),
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
  };
  const limits = { max_generations: input.generations, run_timeout: input.max_minutes * 60 };
  const { spec, ...unlimited } = await host.request(PlanRun, { ...request, stop: limits }, signal);
  const asks = costText(unlimited);
  if (asks !== undefined && input.max_tokens === 0) {
    throw new PeagenError('budget_exceeded', `This run ${asks}, and max_tokens is 0.`, {
      hint: 'Give max_tokens, which the run never passes, or the mutator "structural", which asks no model.',
    });
  }
  // An agent may spend less than the user has configured, not more.
  const budget = Math.min(input.max_tokens, spec.stop.budget_tokens ?? Number.POSITIVE_INFINITY);
  const stop = { ...limits, ...(asks === undefined ? {} : { budget_tokens: budget }) };
  const spends = asks === undefined ? undefined : costText(await host.request(PlanRun, { ...request, stop }, signal));
  const cost = spends === undefined ? undefined : `This run ${spends}.`;
  if (cost !== undefined) await tell?.(cost);
  const { run } = await host.request(StartRun, { requestId: crypto.randomUUID(), request: { ...request, stop } }, signal);
  await host.ended(run, input.wait_seconds * 1000, signal);
  return archive(host, { run, limit: 3 }, signal, cost === undefined ? {} : { cost });
}

export async function judge(host: AgentHost, input: JudgeInput, signal: AbortSignal): Promise<string> {
  const target = await targetOf(host, input);
  const evaluator = await evaluatorOf(host, target, input, signal);
  const verdict = await host.request(JudgeChange, { target, text: input.text, evaluator }, signal);
  const { confidence } = verdict;
  return json({ ...verdict, ...(confidence === undefined || !isCorrect(verdict.outcome) ? {} : said(confidence)) });
}

/** `more`: what goes in front of the run. */
export async function archive(
  host: AgentHost,
  { run, sha256, limit }: ArchiveInput,
  signal: AbortSignal,
  more: object = {},
): Promise<string> {
  const runs = await host.request(ListRuns, {}, signal);
  if (run === undefined) return json({ runs: runs.slice(0, limit).map(runText) });
  const info = runs.find((one) => one.run === run);
  if (info === undefined) {
    throw new PeagenError('not_found', `There is no run ${run}.`, {
      hint: `Known: ${runs.map((one) => one.run).join(', ') || 'none'}.`,
    });
  }
  if (sha256 !== undefined) return json(await eliteOf(host, info.run, sha256, signal));
  const elites = await host.request(ListElites, { run: info.run }, signal);
  return json({
    ...more,
    ...runText(info),
    elites: elites.slice(0, limit).map((elite) => eliteText(info, elite)),
    of: elites.length,
  });
}

/** The elite that an agent means; the best one when it names none. Throws `not_found`. */
export async function eliteOf(
  host: AgentHost,
  run: string,
  sha256: string | undefined,
  signal: AbortSignal,
): Promise<EliteDetail> {
  const id = RunId.parse(run);
  if (sha256 !== undefined) return host.request(GetElite, { run: id, sha256: Sha256.parse(sha256) }, signal);
  const ending = (await host.request(ListRuns, {}, signal)).find((one) => one.run === id)?.ending;
  const { best: announced, overfitted = [], unconfirmed = [] } = ending ?? {};
  const untested = unconfirmed.filter((one) => one.untested);
  const withheld = new Set([...overfitted, ...untested.map((one) => one.sha256)]);
  const elites = (await host.request(ListElites, { run: id }, signal)).filter(({ index }) => index >= 0);
  // A careful measurement goes before that of the search; what is wrong on held-out inputs is not an elite.
  const best = elites.find(({ sha256 }) => sha256 === announced?.sha256) ?? elites.find(({ sha256 }) => !withheld.has(sha256));
  if (best === undefined) throw new PeagenError('not_found', `Run ${run} has found nothing but the original.`);
  return host.request(GetElite, { run: id, sha256: best.sha256 }, signal);
}

async function targetOf(host: AgentHost, { file, function: entry_fn, inputs }: Judged): Promise<TargetSpec> {
  await inside(host, file);
  if (inputs !== undefined && !inputs.trim().startsWith('[')) await inside(host, inputs);
  return { root: host.root, path: file, ...(entry_fn === undefined ? {} : { entry_fn }) };
}

/** A link in the folder may lead out of it, where an agent has no business. */
async function inside(host: AgentHost, path: string): Promise<void> {
  if (await host.contains(path)) return;
  throw new PeagenError('invalid_input', `${path} is not a file in the workspace folder.`, {
    hint: 'Give the path of an existing file in it, relative to the folder, with forward slashes.',
  });
}

/** As the agent says, else as configured, then by what is found next to the file; for a function, inputs are made. */
async function evaluatorOf(
  host: AgentHost,
  target: TargetSpec,
  { inputs, command }: Judged,
  signal: AbortSignal,
): Promise<EvaluatorSpec> {
  if (command !== undefined) return { name: 'command', options: { command } };
  if (inputs !== undefined) return { name: 'function', options: { inputs } };
  const { root, path, entry_fn } = target;
  const { ways } = await host.request(DetectJudging, { root, path, ...(entry_fn === undefined ? {} : { entry_fn }) }, signal);
  const order: readonly WayToJudge['kind'][] = ['configured', 'inputs', 'made', 'command'];
  const [way] = ways.filter(({ kind }) => order.includes(kind)).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  if (way === undefined) {
    throw new PeagenError('invalid_input', `Nothing next to ${path} says how to judge a candidate.`, {
      hint: 'Give inputs (calls as JSON) or a command.',
    });
  }
  return way.evaluator;
}

function nothingText(info: Pick<RunInfo, 'candidates' | 'stopped'>, { unconfirmed }: NonNullable<RunInfo['ending']>): string {
  const untested = unconfirmed.find((one) => one.untested);
  return untested === undefined
    ? (unpaidText(info) ?? 'nothing clearly better than the original')
    : `no result that can be trusted: ${untested.why}`;
}

function runText({
  run,
  state,
  target,
  generation,
  max_generations,
  candidates,
  correct,
  best,
  stats,
  tokens,
  confidence,
  overfit,
  stopped,
  ending,
}: RunInfo) {
  return {
    run,
    state,
    ...(stopped === undefined ? {} : { stopped }),
    file: target.path,
    ...(target.entry_fn === undefined ? {} : { function: target.entry_fn }),
    generation: `${generation} of ${max_generations}`,
    candidates,
    correct,
    ...(overfit === undefined ? {} : { right_only_on_seen_calls: overfit }),
    best_score: best,
    ...(ending === undefined ? {} : { result: ending.best ?? nothingText({ candidates, stopped }, ending) }),
    ...(ending?.refuted === undefined ? {} : { refuted: ending.refuted }),
    ...(confidence === undefined ? {} : said(confidence)),
    niches: stats.coverage,
    tokens: tokens.prompt + tokens.completion,
  };
}

/** What a match is worth, in words that an agent can pass on. */
function said(confidence: Confidence): { verified: boolean; verdict: string; limits: string[] } {
  return { verified: isVerified(confidence), verdict: verdictOf(confidence), limits: confidence.limits };
}

function eliteText({ axes }: RunInfo, { sha256, niche, fitness, metrics, generation, mutator, summary }: Elite) {
  return {
    sha256,
    niche: nicheLabel(niche, axes),
    score: fitness,
    metrics,
    ...(isOriginal({ mutator }) ? { original: true } : { generation, mutator, summary }),
  };
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 1);
}
