/**
 * Peagen: Connect to Cluster, and Work Locally. Asks for the team's Redis, looks at it before anything goes there, and
 * shows what it found. Work comes back to this machine only when the user says so.
 */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { CheckCluster, type ClusterReport } from '../../shared/protocol/cluster.ts';
import { BACK, pickOne, type StepAnswer, typeText } from '../dialogue/steps.ts';
import { whereOf } from '../models/choice.ts';
import type { Peagen } from '../peagen.ts';
import { someRoot } from '../roots.ts';

interface Place {
  /** Without a password. */
  readonly url: string;
  readonly password: string | undefined;
}

export async function connectCluster(peagen: Peagen): Promise<void> {
  const client = await peagen.daemon(someRoot());
  const { chosen } = await peagen.models();
  let url = chosen.queue?.kind === 'redis' ? chosen.queue.url : '';
  for (;;) {
    const place = await askPlace(url, (known) => chosen.redisPassword(known));
    if (place === undefined || place === BACK) return;
    url = place.url;
    const { password } = place;
    const report = await vscode.window
      .withProgress(
        { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Checking the cluster…'), cancellable: true },
        (_, token) => client.request(CheckCluster, { url, ...(password === undefined ? {} : { password }) }, token),
      )
      .then(undefined, (caught: unknown) => PeagenError.from(caught));
    if (report instanceof PeagenError && report.code === 'cancelled') return;
    const answer = await showReport(url, report);
    if (answer === undefined) return;
    if (answer === BACK) continue;
    await chosen.keepRedisPassword(url, password);
    await chosen.chooseQueue({ kind: 'redis', url });
    void vscode.window.showInformationMessage(vscode.l10n.t('Connected: new runs use {0}.', whereOf(url)));
    return;
  }
}

export async function workLocally(peagen: Peagen): Promise<void> {
  const { chosen } = await peagen.models();
  await chosen.chooseQueue({ kind: 'local' });
  void vscode.window.showInformationMessage(vscode.l10n.t('New runs use this machine.'));
}

async function askPlace(value: string, kept: (url: string) => Promise<string | undefined>): Promise<StepAnswer<Place>> {
  for (;;) {
    const text = await typeText({
      title: vscode.l10n.t('Connect to Cluster'),
      prompt: vscode.l10n.t('Address of the Redis of your team; rediss:// with TLS'),
      placeholder: 'rediss://user@host:6379',
      value,
      problem: (given) =>
        /^rediss?:$/.test(URL.parse(given)?.protocol ?? '') && URL.parse(given)?.hostname !== ''
          ? undefined
          : vscode.l10n.t('Expected redis://host:6379 or rediss://user@host:6379.'),
    });
    const parsed = typeof text === 'string' ? URL.parse(text) : null;
    if (parsed === null) return undefined;
    const inside = decodeURIComponent(parsed.password);
    parsed.password = '';
    const url = parsed.href.replace(/\/$/, '');
    if (inside !== '') return { url, password: inside };
    const password = await askPassword(url, await kept(url));
    if (password === undefined) return undefined;
    if (password !== BACK) return { url, password: password === '' ? undefined : password };
  }
}

/** Empty: none. */
async function askPassword(url: string, known: string | undefined): Promise<StepAnswer<string>> {
  const items = [
    ...(known === undefined ? [] : [{ label: vscode.l10n.t('$(lock) The password that is kept'), answer: 'kept' as const }]),
    {
      label: vscode.l10n.t('$(key) Enter a password…'),
      description: vscode.l10n.t('kept in the secret store of the editor'),
      answer: 'enter' as const,
    },
    { label: vscode.l10n.t('$(unlock) No password'), answer: 'none' as const },
  ];
  for (;;) {
    const pick = await pickOne({
      title: vscode.l10n.t('Password for {0}', whereOf(url)),
      placeholder: vscode.l10n.t('Never written to a file, a task or a log'),
      back: true,
      items,
    });
    if (pick === BACK || pick === undefined) return pick;
    if (pick.answer === 'none') return '';
    if (pick.answer === 'kept') return known ?? '';
    const entered = await typeText({
      title: vscode.l10n.t('Password for {0}', whereOf(url)),
      prompt: vscode.l10n.t('Password of the user in the URL'),
      password: true,
      back: true,
    });
    if (entered !== BACK) return entered;
  }
}

/** What was found; `connect` when the user wants it so. */
async function showReport(url: string, report: ClusterReport | PeagenError): Promise<StepAnswer<'connect'>> {
  const title = vscode.l10n.t('The cluster at {0}', whereOf(url));
  const again = { label: vscode.l10n.t('$(edit) Another address or password…'), answer: 'again' as const };
  if (report instanceof PeagenError) {
    const problem = {
      label: `$(error) ${report.message}`,
      ...(report.hint === undefined ? {} : { detail: report.hint }),
      answer: undefined,
    };
    return await untilAnswered(title, vscode.l10n.t('It cannot be used like this'), [problem, again]);
  }
  const { version, user, denied, latency_ms: latency, pools, pending, claimed } = report;
  const facts = [
    {
      label: `$(database) Redis ${version}`,
      description: vscode.l10n.t('{0} ms a round trip · user {1}', latency.toFixed(1), user),
      answer: undefined,
    },
    {
      label:
        denied.length === 0
          ? vscode.l10n.t('$(check) All required permissions granted')
          : vscode.l10n.t('$(error) The user may not: {0}', denied.join(', ')),
      answer: undefined,
    },
    ...workerFacts(report).map((fact) => ({ ...fact, answer: undefined })),
    { label: vscode.l10n.t('$(list-unordered) Tasks: {0} waiting, {1} in progress', pending, claimed), answer: undefined },
  ];
  const connect = {
    label: vscode.l10n.t('$(plug) Connect'),
    description: pools.length === 0 ? vscode.l10n.t('with the workers of this machine') : '',
    answer: 'connect' as const,
  };
  return await untilAnswered(title, vscode.l10n.t('Nothing has gone there yet'), [
    ...(denied.length === 0 ? [connect] : []),
    again,
    { label: vscode.l10n.t('found there'), kind: vscode.QuickPickItemKind.Separator, answer: undefined },
    ...facts,
  ]);
}

function workerFacts({ pools }: ClusterReport): vscode.QuickPickItem[] {
  if (pools.length === 0) {
    return [
      {
        label: vscode.l10n.t('$(warning) No workers serve this workspace yet'),
        detail: vscode.l10n.t('Start some with: {0}', 'peagen worker start'),
      },
    ];
  }
  return pools.map(({ host, classes }) => ({
    label: `$(server-process) ${host}`,
    description: classes.map(({ caps, parallel }) => `${parallel} × ${caps.join('+')}`).join(', '),
  }));
}

interface Row extends vscode.QuickPickItem {
  readonly answer: 'connect' | 'again' | undefined;
}

/** Rows without an answer are there to be read. */
async function untilAnswered(title: string, placeholder: string, items: readonly Row[]): Promise<StepAnswer<'connect'>> {
  for (;;) {
    const pick = await pickOne<Row>({ title, placeholder, back: true, items });
    if (pick === BACK || pick === undefined) return pick;
    if (pick.answer !== undefined) return pick.answer === 'again' ? BACK : pick.answer;
  }
}
