/** Serves the requests of shared/protocol: each is one line to the engine, behind the question of trust. */
import { resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import { Choose } from '../../shared/protocol/choices.ts';
import { CheckCluster } from '../../shared/protocol/cluster.ts';
import { CollectRuns } from '../../shared/protocol/collect.ts';
import { ExportArchive, ExportToGit } from '../../shared/protocol/export.ts';
import { DeriveInputs, DetectJudging, ExampleCall, PlanProposal, ProposeInputs } from '../../shared/protocol/judging.ts';
import { ListEndpointModels, ListModels } from '../../shared/protocol/models.ts';
import { OfferReviews, ProposeElite } from '../../shared/protocol/proposals.ts';
import { ShowQueue, TendDeadLetters } from '../../shared/protocol/queue.ts';
import { ReplayRun } from '../../shared/protocol/replay.ts';
import { ReportRun } from '../../shared/protocol/report.ts';
import {
  AwaitRun,
  ControlRun,
  DeleteRun,
  ExtendRun,
  FindCheckpoint,
  GetElite,
  ListElites,
  ListFront,
  ListOutputs,
  ListRuns,
  ListUnreadableRuns,
  PauseRun,
  PlanResume,
  PlanRun,
  ResumeRun,
  ShowPrompt,
  StartRun,
  StopRun,
  UnpauseRun,
} from '../../shared/protocol/runs.ts';
import { DaemonStatus, DaemonStop } from '../../shared/protocol/session.ts';
import { CrossElites, DiscardElite, PinElite, SubmitCandidate, UseAsParent } from '../../shared/protocol/steering.ts';
import { FindTarget, InspectFile, JudgeChange, Mutate, PlanMutate } from '../../shared/protocol/targets.ts';
import { GetHistory, GetLineage, WatchFabric } from '../../shared/protocol/watch.ts';
import type { Engine } from '../engine/engine.ts';
import { exampleCall } from '../engine/target/derive-inputs.ts';
import type { Session } from './connection.ts';
import { inspectFile } from './inspect.ts';
import { answerRender } from './render.ts';
import type { Daemon } from './server.ts';
import { signalOf } from './signal.ts';

export function answerRequests(session: Session, daemon: Daemon): void {
  /** For what executes code or reads the workspace's configuration. */
  const engine = async (): Promise<Engine> => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    return await daemon.openEngine(session.config);
  };
  /** For looking at runs and ending them: also from an untrusted window, when a trusted one opened the engine. */
  const observed = async (): Promise<Engine> => (session.trusted ? undefined : daemon.engine) ?? (await engine());
  /** The engine that works on a run, whatever configuration this client came with; else the client's own. */
  const working = async (run: RunId): Promise<Engine> => daemon.ownerOf(run) ?? (await observed());

  const trustedWith = async (run: RunId): Promise<Engine> => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    return await working(run);
  };

  const answer: Session['answer'] = (definition, handler) =>
    session.answer(definition, (params, token) => daemon.busyWith(() => handler(params, token)));

  answer(PlanRun, async (request, token) => {
    const planning = (await engine()).plan(request, signalOf(token));
    return await planning.catch((caught: unknown) => {
      throw daemon.outdated ? notYet(PeagenError.from(caught)) : caught;
    });
  });
  answer(ShowPrompt, async (of) => (await engine()).showPrompt(of));
  answer(PlanResume, async (request) => (await engine()).planResume(request));
  answer(ExtendRun, async (extension) => (await engine()).extend(extension));
  answer(StartRun, async ({ request, requestId }) => (await engine()).start(request, requestId));
  answer(ControlRun, async ({ run, requestId, strategy }) => (await engine()).control(run, strategy, requestId));
  answer(FindCheckpoint, async ({ file }) => (await engine()).findCheckpoint(file));
  answer(ResumeRun, async ({ run }) => (await engine()).resume(run));
  answer(UnpauseRun, async ({ run }) => (await trustedWith(run)).unpause(run));
  answer(PlanMutate, async (request) => (await engine()).planMutate(request));
  answer(Mutate, async (request, token) => (await engine()).mutate(request, signalOf(token)));
  answer(FindTarget, async (request) => (await engine()).findTarget(request));
  answer(DetectJudging, async (request) => (await engine()).waysToJudge(request));
  answer(PlanProposal, async (request) => (await engine()).planProposal(request));
  answer(ProposeInputs, async (request, token) => (await engine()).proposeInputs(request, signalOf(token)));
  answer(ExampleCall, async ({ target }) => ({ call: await exampleCall(target) }));
  answer(DeriveInputs, async (request, token) => (await engine()).deriveInputs(request, signalOf(token)));
  answer(JudgeChange, async (request, token) => (await engine()).judge(request, signalOf(token)));

  answer(SubmitCandidate, async ({ run, text, parent }) => (await trustedWith(run)).submit(run, text, parent));
  answer(CrossElites, ({ run, a, b }) => told(async () => (await trustedWith(run)).steer(run, a, b)));
  answer(UseAsParent, ({ run, sha256 }) => told(async () => (await trustedWith(run)).steer(run, sha256)));
  answer(PinElite, ({ run, sha256, pinned }) => told(async () => (await trustedWith(run)).pin(run, sha256, pinned)));
  answer(DiscardElite, ({ run, sha256 }) => told(async () => (await trustedWith(run)).discard(run, sha256)));

  answer(StopRun, async ({ run }) => (await working(run)).stop(run));
  answer(AwaitRun, async ({ run }, token) => unless((await working(run)).finished(run), signalOf(token)));
  answer(PauseRun, async ({ run }) => (await working(run)).pause(run));
  answer(DeleteRun, async ({ run }) => {
    await (await trustedWith(run)).delete(run);
    return {};
  });
  answer(ListRuns, async () => (await observed()).runs());
  answer(ListUnreadableRuns, async () => (await observed()).unreadableRuns());
  answer(ListElites, async ({ run }) => (await working(run)).elites(run));
  answer(ListFront, async ({ run }) => (await working(run)).front(run));
  answer(ListOutputs, async ({ run }) => (await working(run)).outputs(run));
  answer(GetElite, async ({ run, sha256 }) => (await working(run)).elite(run, sha256));

  answer(ReplayRun, async ({ run, generation }) => (await engine()).replay(run, generation));
  answer(CollectRuns, async (retention) => (await engine()).collect(retention));
  answer(ReportRun, async ({ run }) => (await working(run)).report(run));
  answer(ExportArchive, async ({ runs }) => ({ text: await (await observed()).exportArchive(runs) }));
  answer(ExportToGit, async ({ run, preview }) => (await engine()).exportToGit(run, preview));
  answer(GetHistory, async ({ run }) => [...(await (await working(run)).history(run))]);
  answer(GetLineage, async ({ run, sha256 }) => (await working(run)).ancestors(run, sha256));

  session.lsp.onNotification(OfferReviews.method, () => daemon.showsProposals(session));
  answer(ProposeElite, async ({ run, sha256 }) => {
    await (await observed()).elite(run, sha256);
    return { windows: daemon.propose(run, sha256) };
  });

  answer(WatchFabric, ({ watch }) => daemon.watchFabric(session, watch));
  answer(Choose, async (choices) => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    daemon.choose(choices);
    return {};
  });
  answer(CheckCluster, async ({ url, password, workspace }) => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    const [{ checkCluster }, { workspacePrefix }] = await Promise.all([
      import('../fabric/redis/connection/check.ts'),
      import('../fabric/redis/connection/address.ts'),
    ]);
    const config = await daemon.config(session.config);
    const queue = { ...config.task_queue, ...(workspace === undefined ? {} : { workspace }) };
    const env = { ...process.env, ...(password === undefined ? {} : { PEAGEN_REDIS_PASSWORD: password }) };
    return await checkCluster(url, workspacePrefix({ ...config, task_queue: queue }, daemon.place.workspace), env);
  });
  answer(ListModels, async () => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    const { listModels } = await import('../llm/choose.ts');
    return await listModels(await daemon.config(session.config), process.env);
  });
  answer(ListEndpointModels, async ({ preset, base_url, api_key_env: key }) => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    const { listEndpointModels } = await import('../llm/choose.ts');
    return { models: await listEndpointModels(preset, base_url, process.env, key) };
  });

  answerRender({
    answer,
    session,
    engine,
    place: async () => {
      if (!session.trusted) throw untrusted(daemon.place.workspace);
      const { templates } = await daemon.config(session.config);
      const { workspace } = daemon.place;
      return { workspace, searchPath: templates.search_path.map((folder) => resolve(workspace, folder)) };
    },
  });

  answer(InspectFile, ({ path, text }) => inspectFile(path, text));
  answer(DaemonStatus, () => daemon.status());
  answer(ShowQueue, ({ most = 0 }) => daemon.ownQueues().show(most));
  answer(TendDeadLetters, async ({ what, ids }) => {
    if (!session.trusted) throw untrusted(daemon.place.workspace);
    return { count: await daemon.ownQueues().tend(what, ids) };
  });
  answer(DaemonStop, async () => {
    // After the answer: ending closes this connection too.
    setImmediate(() => void daemon.stop('a client asked for it'));
    return { pid: process.pid };
  });
}

/** What comes of the work, or the signal's reason: waiting for something does not end it. */
async function unless<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = () => reject(signal.reason);
  if (signal.aborted) give();
  signal.addEventListener('abort', give, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}

/** The answer to a request whose effect clients see in the run's events. */
async function told(act: () => Promise<void>): Promise<Record<never, never>> {
  await act();
  return {};
}

/** A request that fails because of what it was made for, perhaps: runs in progress keep the configuration they began with. */
function notYet(error: PeagenError): PeagenError {
  if (error.code !== 'invalid_config' && error.code !== 'unavailable') return error;
  return new PeagenError('conflict', error.message, {
    hint: 'What you have chosen or configured since counts when the runs in progress have ended: stop them, or wait.',
    cause: error,
  });
}

function untrusted(workspace: string): PeagenError {
  return new PeagenError('untrusted', `The workspace ${workspace} is not trusted, so nothing is executed in it.`, {
    hint: 'Trust the workspace, then try again.',
  });
}
