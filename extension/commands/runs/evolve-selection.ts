/**
 * Peagen: Evolve Selection, and Evolve Again. What → how to check → which model → what it can cost → go. The user can go back
 * from each question; what is remembered is not asked again, and can be changed on the last page.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { PlanRun, type RunPlan, type RunRequest, StartRun } from '../../../shared/protocol/runs.ts';
import { askGoal, fittingGoal, goalLabel, withGoal } from '../../dialogue/goal.ts';
import { askLimits, usualLimits } from '../../dialogue/limits.ts';
import { askReady } from '../../dialogue/ready.ts';
import { confirmSpend, type Spend, spendInWords } from '../../dialogue/spend.ts';
import { BACK, type StepAnswer, whileBusy } from '../../dialogue/steps.ts';
import { askJudging, typeInputs } from '../../judging/ask.ts';
import { evaluatorFor } from '../../judging/evaluator.ts';
import { type Limits, type Remembered, remember, remembered } from '../../judging/remembered.ts';
import { asRequest, offline } from '../../models/choice.ts';
import { pickModel } from '../../models/pick.ts';
import type { Peagen } from '../../peagen.ts';
import { settings } from '../../settings.ts';
import { type Selected, selectedTarget, together } from '../selection/selection.ts';
import { followToEnd } from './follow-to-end.ts';
import { pickRun } from './pick-run.ts';

type Page = 'judging' | 'inputs' | 'goal' | 'model' | 'limits' | 'ready';

export async function evolveSelection(peagen: Peagen, at?: unknown, marked?: unknown): Promise<void> {
  const selected = await selectedTarget(peagen, at, marked);
  if (selected === undefined) return;
  await askAll(peagen, selected, Asked.safeParse(at).data?.ask);
}

/** A question that is asked first, although its answer is known: it did not serve the last run. */
const Asked = z.object({ ask: z.enum(['judging', 'inputs', 'model', 'limits']).optional() });

/** Peagen: Add Inputs. Opens the inputs of a run's function in a tab; the next run uses them. */
export async function addInputs(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['finished', 'running', 'paused', 'interrupted'], 'inputs');
  if (run === undefined) return;
  const { path, entry_fn: fn, functions } = run.info.target;
  const at = { uri: vscode.Uri.joinPath(run.root, path).toString(), fn, functions };
  const selected = await selectedTarget(peagen, at);
  if (selected !== undefined) await typeInputs(peagen, selected, 'evolve');
}

/** One key: as it was judged before, without a question but for what it may cost. Asks when it was never judged. */
export async function evolveAgain(peagen: Peagen, at?: unknown): Promise<void> {
  const selected = await selectedTarget(peagen, at);
  if (selected === undefined) return;
  const known = recall(peagen, selected);
  if (known.judging === undefined) return await askAll(peagen, selected);
  const request = await runRequest(peagen, selected, known);
  const plan = await planned(selected, request);
  if (await confirmSpend(spendOf(selected, plan))) await start(peagen, selected, request);
}

function recall(peagen: Peagen, { target, judging }: Selected): Remembered {
  const known = remembered(peagen.extension.workspaceState, target);
  return judging === undefined ? known : { ...known, judging };
}

async function askAll(peagen: Peagen, asked: Selected, first?: Page): Promise<void> {
  let selected = asked;
  const known = recall(peagen, selected);
  let judging = first === 'judging' ? undefined : known.judging;
  let { limits, goal } = known;
  const before: Page[] = [];
  /** What is asked next when a question is answered. */
  const missing = async (): Promise<Page> => {
    if (judging === undefined) return 'judging';
    return (await isModelOpen(peagen, selected)) ? 'model' : 'ready';
  };
  const ask = async (page: Page): Promise<StepAnswer<Page>> => {
    const back = before.length > 0;
    if (page === 'judging') {
      const answer = await askJudging(peagen, selected, { back, use: 'evolve' });
      if (answer === BACK || answer === undefined) return answer;
      judging = answer;
      goal = fittingGoal(judging, goal);
    } else if (page === 'goal' && judging !== undefined) {
      const answer = await askGoal(judging, goal);
      if (answer === BACK || answer === undefined) return answer;
      goal = answer ?? undefined;
    } else if (page === 'model') {
      const answer = await pickModel(peagen, selected.client, { back });
      if (answer === BACK || answer === undefined) return answer;
    } else if (page === 'limits') {
      const answer = await askLimits(limits ?? (await usual(peagen, selected)));
      if (answer === BACK || answer === undefined) return answer;
      limits = answer;
    } else if (page === 'inputs') {
      return await typeInputs(peagen, selected, 'evolve');
    } else {
      const answer = await askToStart(peagen, selected, { judging, limits, goal }, back);
      if (answer === 'helpers') selected = together(selected, isAlone(selected) ? undefined : []);
      else if (typeof answer === 'object') limits = answer;
      else return answer;
    }
    return await missing();
  };
  for (let page = first ?? (await missing()); ; ) {
    const next = await ask(page);
    if (next === undefined) return;
    if (next !== BACK) before.push(page);
    page = next === BACK ? (before.pop() ?? page) : next;
  }
}

const isAlone = ({ target }: Selected): boolean => target.entry_fn !== undefined && target.functions?.length === 0;

/** The page to go to, other limits, or that other functions are to change along with this one, or not to any more; undefined when the user has left, or the run has started. */
async function askToStart(
  peagen: Peagen,
  selected: Selected,
  known: Remembered,
  back: boolean,
): Promise<StepAnswer<Page | 'helpers' | Limits>> {
  const request = await runRequest(peagen, selected, known);
  const plan = await planned(selected, request).catch((caught: unknown) => PeagenError.from(caught));
  if (plan instanceof PeagenError && plan.code === 'cancelled') return undefined;
  const model = (await peagen.models()).chosen.model;
  const limits = known.limits ?? (await usual(peagen, selected));
  const answer = await askReady(selected.name, plan, {
    judging: known.judging,
    goal: known.judging === undefined ? '' : goalLabel(known.judging, known.goal),
    model,
    alone: isAlone(selected),
    limits,
    back,
  });
  if (answer !== 'start') return answer;
  if (plan instanceof PeagenError) return 'ready';
  await remember(peagen.extension.workspaceState, selected.target, known);
  if (!(await confirmSpend(spendOf(selected, plan)))) return undefined;
  await start(peagen, selected, request);
  return undefined;
}

/** The limits of a run for which the user has chosen none. */
async function usual(peagen: Peagen, { uri }: Selected): Promise<Limits> {
  const set = settings(uri);
  const { mutator } = asRequest((await peagen.models()).chosen.model, set, 'auto');
  return usualLimits(set, mutator === undefined || !offline.includes(mutator));
}

/** Asked once for a workspace, unless settings say it. */
async function isModelOpen(peagen: Peagen, { uri }: Selected): Promise<boolean> {
  const { mutator, backend } = settings(uri);
  return mutator === undefined && backend === undefined && (await peagen.models()).chosen.model === undefined;
}

async function runRequest(peagen: Peagen, selected: Selected, known: Remembered): Promise<RunRequest> {
  const { target, uri } = selected;
  const { judging, limits = await usual(peagen, selected), goal } = known;
  if (judging === undefined)
    throw new PeagenError('internal', vscode.l10n.t('The question how candidates are checked was skipped.'));
  const { generations, population, selector, ...set } = settings(uri);
  const { chosen } = await peagen.models();
  const own = judging.kind === 'way' ? judging.settings : {};
  return {
    ...own,
    target,
    ...withGoal(await evaluatorFor(judging, selected), goal),
    ...(population === undefined ? {} : { population }),
    ...(selector === undefined ? {} : { selector }),
    ...asRequest(chosen.model, set, 'auto'),
    stop: { ...own.stop, ...(generations === undefined ? {} : { max_generations: generations }), ...limits },
  };
}

function spendOf({ name }: Selected, { worst_case: worst, expected }: RunPlan): Spend {
  return { message: vscode.l10n.t('Evolving {0} may use up to {1}.', name, spendInWords(worst)), worst, expected };
}

async function planned({ client, name }: Selected, request: RunRequest): Promise<RunPlan> {
  return await whileBusy(vscode.l10n.t('Checking {0}…', name), (token) => client.request(PlanRun, request, token));
}

async function start(peagen: Peagen, { client }: Selected, request: RunRequest): Promise<void> {
  const info = await client.request(StartRun, { requestId: crypto.randomUUID(), request });
  peagen.runs.put(client.root, info);
  const isSample = client.root.toString().startsWith(peagen.extension.globalStorageUri.toString());
  void vscode.commands.executeCommand('setContext', isSample ? 'peagen.hasSample' : 'peagen.hasStarted', true);
  await vscode.commands.executeCommand('peagen.evolution.focus');
  // The command is done once the run is on its way; its progress is a matter of its own.
  void followToEnd(peagen, client, info.run);
}
