/** Peagen: Evolve Selection. Target → how to judge → what it can cost → go, with progress until the run ends. */
import * as vscode from 'vscode';
import { PlanRun, type RunPlan, type RunRequest, StartRun } from '../../shared/protocol/runs.ts';
import { confirmSpend, spendInWords } from '../dialogue/spend.ts';
import { askJudging } from '../judging/ask.ts';
import { evaluatorFor } from '../judging/evaluator.ts';
import { judgingLabel, rememberedJudging, rememberJudging } from '../judging/remembered.ts';
import { asRequest, type ModelChoice } from '../models/choice.ts';
import type { Peagen } from '../peagen.ts';
import { settings } from '../settings.ts';
import { plural } from '../words.ts';
import { followWithProgress } from './progress.ts';
import { type Selected, selectedTarget } from './selection.ts';

export async function evolveSelection(peagen: Peagen): Promise<void> {
  const selected = await selectedTarget(peagen);
  if (selected === undefined) return;
  const { workspaceState } = peagen.extension;
  let judging = rememberedJudging(workspaceState, selected.target);
  for (;;) {
    if (judging === undefined) {
      judging = await askJudging(selected.target, selected.params);
      if (judging === undefined) return;
    }
    const evaluator = await evaluatorFor(judging, selected.target, selected.params);
    const request = runRequest(selected, evaluator, (await peagen.models()).chosen.model);
    const plan = await planned(selected, request);
    await rememberJudging(workspaceState, selected.target, judging);
    const answer = await confirm(selected, plan, judgingLabel(judging));
    if (answer === undefined) return;
    if (answer === 'start') {
      const { entry_fn, path } = selected.target;
      if (await confirmSpend(`Evolving ${entry_fn ?? path}`, plan.worst_case)) await start(peagen, selected, request);
      return;
    }
    judging = undefined;
  }
}

function runRequest(
  { target, document }: Selected,
  evaluator: RunRequest['evaluator'],
  model: ModelChoice | undefined,
): RunRequest {
  const { generations, ...set } = settings(document.uri);
  return {
    target,
    evaluator,
    ...asRequest(model, set),
    ...(generations === undefined ? {} : { stop: { max_generations: generations } }),
  };
}

/** Planning runs the original once, which can take a moment. */
async function planned({ client, target }: Selected, request: RunRequest): Promise<RunPlan> {
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Checking ${target.entry_fn ?? target.path}…`, cancellable: true },
    (_, token) => client.request(PlanRun, request, token),
  );
}

/** The worst case in words, and the choice to go, to judge otherwise, or to leave it. */
async function confirm(
  { target }: Selected,
  { worst_case: worst, spec, sandbox }: RunPlan,
  judged: string,
): Promise<'start' | 'change' | undefined> {
  const cost = `at worst ${spendInWords(worst)}`;
  const size = `${plural(spec.stop.max_generations, 'generation')} of ${spec.population}, ${worst.candidates.toLocaleString('en')} candidates at most`;
  const items = [
    {
      label: '$(play) Start',
      description: `${spec.mutator}, ${cost}`,
      detail: `${size} · sandbox: ${sandbox.tier}${sandbox.warning === undefined ? '' : ` · ${sandbox.warning}`}`,
      answer: 'start' as const,
    },
    { label: '$(law) Judge otherwise…', description: judged, answer: 'change' as const },
  ];
  const pick = await vscode.window.showQuickPick(items, {
    title: `Evolve ${target.entry_fn ?? target.path}`,
    placeHolder: 'Ready to start',
    ignoreFocusOut: true,
  });
  return pick?.answer;
}

async function start(peagen: Peagen, { client, target }: Selected, request: RunRequest): Promise<void> {
  const info = await client.request(StartRun, { requestId: crypto.randomUUID(), request });
  peagen.runs.put(client.root, info);
  await vscode.commands.executeCommand('peagen.evolution.focus');
  // The command is done once the run is on its way; its progress is a matter of its own.
  void followWithProgress(peagen, client, info.run, target.entry_fn ?? target.path);
}
