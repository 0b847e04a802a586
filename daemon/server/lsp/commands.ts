/** The commands of the language server: evolve, mutate, apply and stop, with work-done progress and cancellation. */
import {
  type CancellationToken,
  CodeLensRefreshRequest,
  type ExecuteCommandParams,
  MessageType,
  ShowMessageNotification,
  type TextDocuments,
  type WorkDoneProgressReporter,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod';
import { describeConfidence } from '../../../shared/confidence.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { gainOf } from '../../../shared/gain.ts';
import { RunId } from '../../../shared/ids.ts';
import type { RunRequest, SpendPlan } from '../../../shared/protocol/runs.ts';
import type { RunEvent, RunInfo } from '../../../shared/run.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { costText, unpaidText } from '../../../shared/words/cost-text.ts';
import { parseMessage } from '../../client/messages.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Session } from '../connection.ts';
import type { Daemon } from '../server.ts';
import { signalOf } from '../signal.ts';
import { bestOf } from './actions.ts';
import { targetOf } from './documents.ts';
import { type Change, workspaceEdit } from './edits.ts';

const Target = z.object({ uri: z.string(), fn: z.string() });

const arguments_ = {
  /** `inputs` and `command` say how to judge; without them the configuration does. */
  'peagen.evolve': Target.extend({
    inputs: z.string().optional(),
    command: z.string().optional(),
    generations: z.number().int().positive().optional(),
    seed: z.number().int().min(0).optional(),
    /** Propose the best as an edit when the run ends. */
    apply: z.boolean().default(false),
  }),
  'peagen.mutate': Target.extend({ instructions: z.string().optional(), apply: z.boolean().default(false) }),
  'peagen.apply': z.object({ run: RunId }),
  /** Without a run: all of them. */
  'peagen.stop': z.object({ run: RunId.optional() }).default({}),
};
type Arguments = { [K in keyof typeof arguments_]: z.infer<(typeof arguments_)[K]> };

export const commandNames = Object.keys(arguments_);

interface ClientAbilities {
  /** Shows progress that the server begins. */
  progress: boolean;
  /** Asks for lenses again when notified. */
  refresh: boolean;
}

export class Commands {
  private readonly session: Session;
  private readonly daemon: Daemon;
  private readonly documents: TextDocuments<TextDocument>;
  private readonly client: ClientAbilities;

  constructor(session: Session, daemon: Daemon, documents: TextDocuments<TextDocument>, client: ClientAbilities) {
    this.session = session;
    this.daemon = daemon;
    this.documents = documents;
    this.client = client;
  }

  async execute(params: ExecuteCommandParams, token: CancellationToken, given: WorkDoneProgressReporter): Promise<unknown> {
    const [argument] = params.arguments ?? [];
    const parsed = <K extends keyof Arguments>(name: K): Arguments[K] =>
      parseMessage(arguments_[name], argument, `The argument of ${name}`) as Arguments[K];
    switch (params.command) {
      case 'peagen.evolve':
        return await this.evolve(parsed('peagen.evolve'), token, params.workDoneToken === undefined ? undefined : given);
      case 'peagen.mutate':
        return await this.mutate(parsed('peagen.mutate'), token);
      case 'peagen.apply':
        return { applied: await this.applyBest(parsed('peagen.apply').run) };
      case 'peagen.stop':
        return await this.stop(parsed('peagen.stop').run);
      default:
        throw new PeagenError('not_found', `There is no command "${params.command}".`, {
          hint: `Known: ${commandNames.join(', ')}.`,
        });
    }
  }

  /** Returns when the run has ended. Cancelling the request or its progress ends the run in an orderly way. */
  private async evolve(
    request: Arguments['peagen.evolve'],
    token: CancellationToken,
    given: WorkDoneProgressReporter | undefined,
  ): Promise<{ run: RunId; best: number | null; applied: boolean }> {
    const target = this.target(request.uri, request.fn);
    const engine = await this.engineAt(target.root);
    const ended = new Map<RunId, PromiseWithResolvers<RunEvent & { type: 'stopped' }>>();
    const endOf = (run: RunId) => ended.get(run) ?? ended.set(run, Promise.withResolvers()).get(run);
    const own = given === undefined && this.client.progress ? await this.session.lsp.window.createWorkDoneProgress() : undefined;
    const progress = given ?? own;
    const stopListening = this.daemon.onRunEvent((run, event, info) => {
      if (event.type === 'stopped') endOf(run)?.resolve(event);
      if (event.type === 'generation' && info !== undefined) report(progress, info);
    });
    try {
      const asked: RunRequest = {
        target,
        ...judgedBy(request),
        ...(request.seed === undefined ? {} : { seed: request.seed }),
        ...(request.generations === undefined ? {} : { stop: { max_generations: request.generations } }),
      };
      await this.sayCost(`Evolving ${request.fn}`, await engine.plan(asked));
      const { run, max_generations } = await engine.start(asked, crypto.randomUUID());
      progress?.begin(`Evolving ${request.fn}`, 0, `0/${max_generations}`, true);
      const cancel = () => void engine.stop(run).catch((caught: unknown) => this.session.failure('peagen.evolve', caught));
      for (const source of [token, own?.token]) {
        if (source?.isCancellationRequested === true) cancel();
        source?.onCancellationRequested(cancel);
      }
      const { detail } = (await endOf(run)?.promise) ?? {};
      const info = await this.infoOf(run);
      if (info.best === null && detail !== undefined) throw new PeagenError('original_fails', detail);
      const gain = gainOf(info);
      const best = gain.kind === 'faster' ? gain.speedup : gain.kind === 'score' ? gain.score : null;
      const offered = bestOf(info);
      const rests = info.confidence === undefined ? '' : ` It ${describeConfidence(info.confidence)}.`;
      const applied = request.apply && offered !== undefined && (await this.applyBest(run));
      if (this.client.refresh) await this.session.lsp.sendRequest(CodeLensRefreshRequest.type);
      // As a notification: the connection's own showInformationMessage is a request, which some editors block on.
      await this.session.lsp.sendNotification(ShowMessageNotification.type, {
        type: MessageType.Info,
        message: offered === undefined ? nothingText(request.fn, info) : `Best variant of ${request.fn}: ${offered}.${rests}`,
      });
      return { run, best, applied };
    } finally {
      stopListening();
      progress?.done();
    }
  }

  private async mutate(
    request: Arguments['peagen.mutate'],
    token: CancellationToken,
  ): Promise<{ diff: string; summary: string; applied: boolean }> {
    const target = this.target(request.uri, request.fn);
    const engine = await this.engineAt(target.root);
    const { instructions } = request;
    const asked = { target, ...(instructions === undefined ? {} : { instructions }) };
    await this.sayCost(`Changing ${request.fn}`, await engine.planMutate(asked));
    const answer = await engine.mutate(asked, signalOf(token));
    const applied = request.apply && (await this.apply(`Peagen: ${answer.origin.summary}`, target.root, answer.changes));
    return { diff: answer.diff, summary: answer.origin.summary, applied };
  }

  /** Shows what paid work can cost, before it begins. */
  private async sayCost(work: string, cost: Pick<SpendPlan, 'expected' | 'worst_case'>): Promise<void> {
    const text = costText(cost);
    if (text === undefined) return;
    const message = `${work} ${text}.`;
    await this.session.lsp.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message });
  }

  /**
   * A run that has ended shows only what it announced: its leader may not have been confirmed, or be wrong on held-out
   * inputs.
   */
  private async applyBest(run: RunId): Promise<boolean> {
    const engine = this.daemon.ownerOf(run) ?? (await this.daemon.openEngine());
    const [leader] = await engine.elites(run);
    const info = await this.infoOf(run);
    const best = info.ending === undefined ? leader?.sha256 : info.ending.best?.sha256;
    if (best === undefined || bestOf(info) === undefined) {
      const hint = info.ending === undefined ? 'Let it go on.' : 'Evolve it again, for longer.';
      throw new PeagenError('not_found', `Run ${run} has found nothing better than the original.`, { hint });
    }
    const { changes } = await engine.elite(run, best);
    return await this.apply(`Peagen: best of ${run}`, info.target.root, changes);
  }

  /** The engine with the configuration of a target's folder, which may lie deeper than the workspace's own. */
  private engineAt(root: string): Promise<Engine> {
    return this.daemon.openEngine(root === this.daemon.place.workspace ? undefined : { folder: root, flags: {} });
  }

  private async infoOf(run: RunId): Promise<RunInfo> {
    const engine = await this.daemon.openEngine();
    const info = (await engine.runs()).find((known) => known.run === run);
    if (info === undefined)
      throw new PeagenError('not_found', `There is no run ${run}.`, { hint: 'Check the id and the folder.' });
    return info;
  }

  private async stop(run: RunId | undefined): Promise<{ stopped: RunId[] }> {
    const runs = run === undefined ? this.daemon.running() : [run];
    const fallback = await this.daemon.openEngine();
    await Promise.all(runs.map((id) => (this.daemon.ownerOf(id) ?? fallback).stop(id)));
    return { stopped: runs };
  }

  /** The client decides and applies: nothing is written here. */
  private async apply(label: string, root: string, changes: Change[]): Promise<boolean> {
    const edit = await workspaceEdit(root, changes, this.documents);
    return (await this.session.lsp.workspace.applyEdit({ label, edit })).applied;
  }

  private target(uri: string, fn: string): TargetSpec {
    return targetOf(this.daemon.place.workspace, uri, fn, this.documents.get(uri)?.getText());
  }
}

function nothingText(fn: string, info: RunInfo): string {
  const untested = info.ending?.unconfirmed.find((one) => one.untested);
  return untested === undefined
    ? (unpaidText(info) ?? `No faster variant of ${fn} was found.`)
    : `No variant of ${fn} that can be trusted was found: ${untested.why}.`;
}

function report(progress: WorkDoneProgressReporter | undefined, info: RunInfo): void {
  const share = Math.min(100, Math.round((100 * info.generation) / info.max_generations));
  const best = bestOf(info);
  progress?.report(share, `${info.generation}/${info.max_generations}${best === undefined ? '' : `, best ${best}`}`);
}

/** What the command says; without it the daemon judges as the configuration says. */
function judgedBy({ command, inputs }: Arguments['peagen.evolve']): Pick<RunRequest, 'evaluator'> {
  if (command !== undefined) return { evaluator: { name: 'command', options: { command } } };
  return inputs === undefined ? {} : { evaluator: { name: 'function', options: { inputs } } };
}
