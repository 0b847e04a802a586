import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { oneElite } from '../../../extension/commands/candidates/chosen-elite.ts';
import { Runs } from '../../../extension/runs/runs.ts';
import { StatusItem } from '../../../extension/status.ts';
import type { EvolutionNode } from '../../../extension/views/nodes.ts';
import { EvolutionTree } from '../../../extension/views/tree.ts';
import { Confidence } from '../../../shared/confidence.ts';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import { ListElites, ListRuns } from '../../../shared/protocol/runs.ts';
import { DaemonStatus } from '../../../shared/protocol/session.ts';
import type { RunInfo } from '../../../shared/run.ts';

const NICHES = 10_000;
const run = RunId.parse('20261121-080000-0123456789ab');

const elite = (i: number): Elite => ({
  sha256: Sha256.parse(createHash('sha256').update(String(i)).digest('hex')),
  niche: [i % 10, Math.floor(i / 10) % 10, Math.floor(i / 100) % 20, Math.floor(i / 2000)].join('/'),
  fitness: 1 + i / NICHES,
  features: [0, 0, 0, 0],
  metrics: { speedup: 1 + i / NICHES },
  generation: i % 200,
  index: i,
  parents: [],
  mutator: 'structural',
  summary: `change ${i}`,
});

const info: RunInfo = {
  run,
  state: 'running',
  target: { root: '/w', path: 'a.py', entry_fn: 'f' },
  started_at: '2026-11-21T08:00:00.000Z',
  generation: 200,
  max_generations: 1000,
  candidates: 20_000,
  evaluated: 20_000,
  correct: 15_000,
  best: 2,
  stats: { coverage: NICHES, qd_score: 15_000, best: 2 },
  axes: [
    { name: 'speed', bin: 5, unit: 'ms' },
    { name: 'memory', bin: 32, unit: 'KB' },
    { name: 'size', bin: 40, unit: 'characters' },
    { name: 'age', bin: 1, unit: '' },
  ],
  tokens: { prompt: 0, completion: 0 },
};

describe('the Evolution view with 10,000 niches', () => {
  const parts: vscode.Disposable[] = [];
  let runs: Runs;
  let tree: EvolutionTree;
  let top: EvolutionNode | undefined;
  /** What the daemon waits for before it answers. */
  const slow = new Map<string, Promise<unknown>>();

  before(async () => {
    const log = vscode.window.createOutputChannel('Peagen test', { log: true });
    const status = new StatusItem();
    const elites = Array.from({ length: NICHES }, (_, i) => elite(i));
    const answers: Record<string, unknown> = {
      [ListRuns.method]: [info],
      [ListElites.method]: elites,
      [DaemonStatus.method]: { running: [run] },
    };
    const request = async ({ method }: { method: string }) => {
      await slow.get(method);
      return answers[method] as never;
    };
    const workspaceState = { keys: () => [], get: () => undefined, update: async () => undefined };
    runs = new Runs({ log, extension: { workspaceState }, daemon: async () => ({ request }) });
    tree = new EvolutionTree({ runs, log, status });
    parts.push(log, status, runs, tree);
    [top] = await tree.getChildren();
    assert.ok(top);
  });
  after(() => {
    for (const part of parts) part.dispose();
  });

  const page = async () => {
    const started = performance.now();
    const items = (await tree.getChildren(top)).map((row) => tree.getTreeItem(row));
    return { items, ms: performance.now() - started };
  };

  it('makes the rows of the first page only, each with what was changed first, then its gain', async () => {
    const first = await page();
    const again = await page();
    console.log(`peagen: 10,000 niches, first page in ${first.ms.toFixed(1)} ms, then ${again.ms.toFixed(1)} ms`);
    assert.equal(first.items.length, 201);
    assert.equal(first.items[0]?.label, 'change 9999');
    assert.equal(first.items[0]?.description, '2.00× faster · offline edit · generation 199');
    assert.match(String(first.items.at(-1)?.label), /9,?800/);
  });

  it('groups its rows by niche on demand, each with the ranges that tell it from the others of the group', async () => {
    tree.arrangement = { sort: 'niche', filter: '' };
    try {
      const groups = await tree.getChildren(top);
      const [group] = groups;
      assert.equal(group?.kind, 'niches');
      const { label, description } = tree.getTreeItem(group);
      assert.match(String(label), /^speed \d+–\d+ ms$/);
      assert.match(String(description), /^\d+ candidates · best: \d\.\d\d× faster$/);
      const items = (await tree.getChildren(group)).map((row) => tree.getTreeItem(row));
      assert.equal(items.length, 200);
      assert.match(String(items[0]?.description), /^as fast · size \d+–\d+ · memory \d+–\d+ KB · age \d+ · /);
      assert.equal(groups.at(-1)?.kind, 'more');
    } finally {
      tree.arrangement = { sort: 'score', filter: '' };
    }
  });

  it('is drawn again as a whole when that is asked for, though nothing has changed', async () => {
    tree.visible = true;
    const whole = new Promise((resolve) => {
      parts.push(tree.onDidChangeTreeData((node) => node === undefined && resolve(true)));
    });
    // What came before is drawn row by row.
    runs.put(vscode.Uri.file('/w'), info);
    tree.redraw();
    assert.ok(await whole);
    tree.visible = false;
  });

  it('says of the announced elite what was announced, and next to it what the search had measured', () => {
    const root = vscode.Uri.file('/w');
    const shown = elite(9000);
    const row = () => tree.getTreeItem({ kind: 'elite', run, elite: shown });
    const { tooltip: before } = row();
    assert.match(String(row().description), /^1\.90× faster · offline edit · /);
    const measured = { speedup: 1.5, speedup_low: 1.42, speedup_high: 1.58, speed_ms: 2, baseline_ms: 3, peak_kb: 64 };
    const best = { sha256: shown.sha256, niche: shown.niche, generation: shown.generation, ...measured };
    const ending = { best, overfitted: [], unconfirmed: [] };
    runs.put(root, { ...info, state: 'finished', baseline: { fitness: 1, is_speedup: true }, ending });
    try {
      assert.equal(row().label, 'change 9000');
      assert.match(String(row().description), /^1\.50× faster · the result · offline edit · generation /);
      const { tooltip } = row();
      assert.ok(tooltip instanceof vscode.MarkdownString && before instanceof vscode.MarkdownString);
      assert.doesNotMatch(before.value, /search/);
      // Spaces of the text are non-breaking in Markdown.
      const told = tooltip.value.replaceAll('&nbsp;', ' ').replaceAll('\\', '');
      assert.match(told, /the result: 1\.50× faster \(1\.42 to 1\.58\)/);
      assert.match(told, /in the search: 1\.90× faster/);
    } finally {
      runs.put(root, info);
    }
  });

  it('cuts a long change after a word, so that its gain shows, and has the whole for ears and as a tooltip', () => {
    const summary = 'the inner loop starts where the outer one stands, so that no pair is looked at twice';
    const { label, tooltip, accessibilityInformation } = tree.getTreeItem({
      kind: 'elite',
      run,
      elite: { ...elite(1), summary },
    });
    assert.equal(label, 'the inner loop starts…');
    assert.ok(accessibilityInformation?.label.startsWith(`${summary} · `));
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(tooltip.value.replaceAll('&nbsp;', ' ').includes(summary));
  });

  it('takes a burst of 5,000 events with one refresh, of the run alone', async () => {
    // A view that opens is refreshed as a whole, once.
    const opened = new Promise((resolve) => parts.push(tree.onDidChangeTreeData(resolve)));
    tree.visible = true;
    tree.redraw();
    await opened;
    const refreshed: unknown[] = [];
    const heard = new Promise<void>((resolve) => {
      parts.push(
        tree.onDidChangeTreeData((node) => {
          refreshed.push(node);
          resolve();
        }),
      );
    });
    const at = new Date().toISOString();
    const root = vscode.Uri.file('/w');
    for (let i = 0; i < 5000; i++) {
      const generation = 200 + i;
      runs.hear(root, run, { type: 'generation', at, generation, stats: info.stats }, { ...info, generation });
    }
    await heard;
    await page();
    assert.deepEqual(refreshed, [top]);
    assert.match(String(tree.getTreeItem(top ?? { kind: 'run', run }).description), /generation 5199 of 1000/);
  });

  it('is not drawn again for candidates that change no row', async () => {
    const root = vscode.Uri.file('/w');
    const next = () => new Promise<unknown>((resolve) => parts.push(tree.onDidChangeTreeData(resolve)));
    const at = new Date().toISOString();
    const moved = (generation: number) =>
      runs.hear(root, run, { type: 'generation', at, generation, stats: info.stats }, { ...info, generation });
    const first = next();
    moved(6000);
    await first;
    const drawn: unknown[] = [];
    parts.push(tree.onDidChangeTreeData((node) => drawn.push(node)));
    // More changes than the view gathers in its longest wait.
    for (let attempt = 0; attempt < 20; attempt++) {
      const heard = new Promise((resolve) => parts.push(runs.onDidChange(resolve)));
      const slot = { index: 1, generation: 6001, attempt };
      const tokens = { prompt: 1, completion: 1 };
      const now = { ...info, generation: 6000, tokens: { prompt: attempt, completion: attempt } };
      runs.hear(root, run, { type: 'rejected', at, slot, reason: 'twin', tokens, final: false }, now);
      await heard;
    }
    assert.deepEqual(drawn, []);
  });

  it('marks a result that rests on few calls, and verifies one above the level', () => {
    const root = vscode.Uri.file('/w');
    const shown = elite(9000);
    const measured = { speedup: 1.5, speedup_low: 1.42, speedup_high: 1.58, speed_ms: 2, baseline_ms: 3, peak_kb: 64 };
    const row = (attacked: number) => {
      const share = { hit: 10, of: 10 };
      const confidence = Confidence.parse({ given: 3, derived: 40, heldout: 40, attacked, lines: share, mutants: share });
      const best = { sha256: shown.sha256, niche: shown.niche, generation: shown.generation, ...measured, confidence };
      const ending = { best, overfitted: [], unconfirmed: [] };
      runs.put(root, { ...info, state: 'finished', stopped: 'user', baseline: { fitness: 1, is_speedup: true }, ending });
      const { description, iconPath, contextValue } = tree.getTreeItem({ kind: 'run', run });
      return { description, icon: iconPath instanceof vscode.ThemeIcon ? iconPath.id : '', contextValue };
    };
    try {
      assert.deepEqual(row(20), {
        description: '1.50× faster · matches on the calls we have; add inputs · stopped',
        icon: 'warning',
        contextValue: 'run.finished.few',
      });
      assert.deepEqual(row(400), {
        description: '1.50× faster · verified · stopped',
        icon: 'verified-filled',
        contextValue: 'run.finished',
      });
    } finally {
      runs.put(root, info);
    }
  });

  it('says that the best is confirmed when the search is over for lack of time, too', () => {
    const confirming = { since: info.started_at, within_ms: 8000 };
    runs.put(vscode.Uri.file('/w'), { ...info, confirming });
    const { description } = tree.getTreeItem({ kind: 'run', run });
    runs.put(vscode.Uri.file('/w'), info);
    assert.match(String(description), /^confirming the best… · /);
  });

  it('takes no other row for the one of a menu that was open while its rows were drawn again', () => {
    const shown = { runs, selection: () => [{ kind: 'elite' as const, run, elite: elite(1) }] };
    assert.equal(oneElite(shown, undefined).elite.sha256, elite(1).sha256);
    assert.throws(() => oneElite(shown, null), /Choose from the menu again|changed while its menu was open/);
  });

  it('has what its rows are made of before it lets go of them, so that a menu on one of them still means it', async () => {
    const ready = new Promise<boolean>((resolve) => {
      parts.push(tree.onDidChangeTreeData(() => resolve(runs.get(run)?.elites !== undefined)));
    });
    const { sha256 } = elite(1);
    runs.hear(vscode.Uri.file('/w'), run, { type: 'pinned', at: new Date().toISOString(), sha256, pinned: true });
    assert.equal(runs.get(run)?.elites, undefined, 'asked for again');
    assert.ok(await ready);
  });

  it('goes on showing what is known while the daemon is slow, or silent', async () => {
    const root = vscode.Uri.file('/w');
    const redrawn = () => new Promise<void>((resolve) => parts.push(tree.onDidChangeTreeData(() => resolve())));
    const forget = () =>
      runs.hear(root, run, { type: 'pinned', at: new Date().toISOString(), sha256: elite(1).sha256, pinned: true });
    try {
      forget();
      // Three seconds for the rows are no reason to draw none for thirty.
      slow.set(ListElites.method, new Promise((resolve) => setTimeout(resolve, 3000)));
      await page();
      for (let i = 0; i < 2; i++) {
        const next = redrawn();
        runs.put(root, { ...info, generation: 300 + i });
        await next;
      }
      slow.set(ListElites.method, new Promise(() => undefined));
      forget();
      await redrawn();
    } finally {
      slow.clear();
    }
  }).timeout(20_000);
});
