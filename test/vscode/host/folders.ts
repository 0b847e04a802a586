import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { daemonCopy } from '../../../extension/client/copy.ts';
import { Runs } from '../../../extension/runs/runs.ts';
import { StatusItem } from '../../../extension/status.ts';
import { EvolutionTree } from '../../../extension/views/tree.ts';
import { RunId } from '../../../shared/ids.ts';
import { ListElites, ListRuns } from '../../../shared/protocol/runs.ts';
import type { RunInfo } from '../../../shared/run.ts';

const prompt = RunId.parse('20261121-080000-0123456789ab');
const late = RunId.parse('20261121-090000-0123456789ab');

const info = (run: RunId): RunInfo => ({
  run,
  state: 'finished',
  target: { root: '/w', path: 'a.py', entry_fn: 'f' },
  started_at: '2026-11-21T08:00:00.000Z',
  generation: 1,
  max_generations: 1,
  candidates: 1,
  evaluated: 1,
  correct: 1,
  best: 1,
  stats: { coverage: 1, qd_score: 1, best: 1 },
  axes: [],
  tokens: { prompt: 0, completion: 0 },
});

describe('the daemons of several folders', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-folders-'));
  const parts: vscode.Disposable[] = [];
  after(() => {
    for (const part of parts) part.dispose();
    rmSync(scratch, { recursive: true });
  });

  it('show their runs though one of them never answers, whose runs come when it does', async () => {
    const log = vscode.window.createOutputChannel('Peagen test of folders', { log: true });
    const status = new StatusItem();
    const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
    // A file outside of the workspace brings its folder with it.
    const followed = [{ root: 'file:///silent', run: late }];
    const workspaceState = { keys: () => [], get: (key: string) => (key === 'followed' ? followed : undefined) as never };
    const daemon = async (root: vscode.Uri) => ({
      request: async ({ method }: { method: string }) => {
        const isSilent = root.path === '/silent';
        if (isSilent || method === ListElites.method) await silence;
        const answers = { [ListRuns.method]: [info(isSilent ? late : prompt)], [ListElites.method]: [] };
        return answers[method] as never;
      },
    });
    const runs = new Runs({ log, extension: { workspaceState: { ...workspaceState, update: async () => undefined } }, daemon });
    const tree = new EvolutionTree({ runs, log, status });
    parts.push(log, status, runs, tree);
    tree.visible = true;
    const rows = async () => (await tree.getChildren()).map((row) => row.run);
    assert.deepEqual(await rows(), [prompt]);
    // The editor shows no row of a view while it waits for one that is open.
    const [first] = await tree.getChildren();
    assert.deepEqual(await tree.getChildren(first), []);
    const drawn = new Promise<void>((resolve) => {
      parts.push(tree.onDidChangeTreeData((node) => node === undefined && resolve()));
    });
    speak();
    await drawn;
    assert.deepEqual((await rows()).sort(), [prompt, late]);
  });

  it('end a run in the view though a list comes later that was made before', async () => {
    const log = vscode.window.createOutputChannel('Peagen test of lists', { log: true });
    const root = vscode.Uri.file('/w');
    const running = { ...info(prompt), state: 'running' as const };
    const lists: (() => void)[] = [];
    const request = () => new Promise<never>((resolve) => lists.push(() => resolve([running] as never)));
    const workspaceState = { keys: () => [], get: () => [{ root: root.toString(), run: prompt }] as never };
    const memento = { ...workspaceState, update: async () => undefined };
    const runs = new Runs({ log, extension: { workspaceState: memento }, daemon: async () => ({ request }) });
    parts.push(log, runs);
    runs.put(root, running);
    const listed = runs.refresh();
    while (lists.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    runs.hear(root, prompt, { type: 'stopped', at: new Date().toISOString(), reason: 'user' }, info(prompt));
    for (const answer of lists) answer();
    await listed;
    assert.equal(runs.get(prompt)?.info.state, 'finished');
  });

  it('come from one copy of the daemon, which all of them ask for at once', async () => {
    const [extension, storage] = [join(scratch, 'extension'), join(scratch, 'storage')];
    const built = join(extension, 'dist');
    mkdirSync(join(built, 'daemon'), { recursive: true });
    writeFileSync(join(built, 'build-id'), '0123456789abcdef');
    writeFileSync(join(extension, 'package.json'), '{}');
    for (const name of ['cli.js', ...Array.from({ length: 200 }, (_, i) => `part-${i}.js`)])
      writeFileSync(join(built, 'daemon', name), 'x'.repeat(20_000));
    const now = Date.now();
    const scripts = await Promise.all(Array.from({ length: 4 }, () => daemonCopy(extension, storage, now)));
    const copy = join(storage, 'daemons', '0123456789abcdef');
    assert.deepEqual(new Set(scripts), new Set([join(copy, 'dist', 'daemon', 'cli.js')]));
    assert.equal(readdirSync(join(copy, 'dist', 'daemon')).length, 201);
    assert.deepEqual(readdirSync(join(storage, 'daemons')), ['0123456789abcdef']);
  });
});
