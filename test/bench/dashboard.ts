/**
 * How long the dashboard takes to open on a run of 10,000 elites, and whether it drops frames while updates come in, 10
 * and 20 a second: `node test/bench/dashboard.ts [SECONDS]`, after a build. The page is the one that ships, in Chromium.
 * Frames that are dropped without any update are the machine's own.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { dashboardHtml, policy } from '../../shared/dashboard/html.ts';
import { type PageTexts, textKeys } from '../../shared/dashboard/texts.ts';
import { chromium as chromiumPath, project } from '../vscode/driver/parts.ts';

const ELITES = 10_000;
const seconds = Number(process.argv[2] ?? 10);
/** The page's words are as good as any. */
const texts = Object.fromEntries(textKeys.map((key) => [key, key])) as PageTexts;
const files = join(project, 'dist', 'dashboard');

/** In the page: a host that sends the whole run as soon as the page is there, then patches; and a count of frames. */
const host = `
  const sha = (i) => i.toString(16).padStart(64, '0');
  const elite = (i, fitness) => ({ sha256: sha(i), niche: [i % 20, Math.floor(i / 20) % 25, Math.floor(i / 500) % 20, 0].join('/'),
    fitness, worth: fitness + '×', features: [], generation: i % 200, mutator: 'structural', summary: 'change ' + i, original: i === 0, pinned: false });
  const view = { run: 'bench', name: 'bench', path: 'bench.py', state: 'running', status: 'running', started: '2026-01-31T14:25:01.000Z',
    generation: 1, generations: 1000, candidates: 20000, evaluated: 20000, correct: 15000, best: 2, coverage: ${ELITES}, tokens: 5, budget: 100000 };
  const axes = [['speed', 5, 'ms'], ['memory', 32, 'KB'], ['size', 40, 'ch'], ['age', 1, '']].map(([name, bin, unit]) => ({ name, bin, unit }));
  const history = Array.from({ length: 2000 }, (_, i) => ({ ms: i * 1000, generation: i, best: 1 + i / 2000 }));
  const send = (message) => postMessage(message);
  const elites = Array.from({ length: ${ELITES} }, (_, i) => elite(i, 1 + (i * 7919 % ${ELITES}) / ${ELITES}));
  let n = 0;
  const patch = () => {
    n += 1;
    const at = (n * 7919) % ${ELITES};
    send({ type: 'patch', patch: { view: { ...view, candidates: 20000 + n }, elites: [elite(at, 2 + n / 1e4)], gone: [],
      history: [{ ms: 2e6 + n * 50, generation: 2000 + n, best: 2 + n / 1e4 }], anew: false } });
    if (n % 20 === 0) send({ type: 'fabric', state: { at: new Date().toISOString(), tokens_per_second: n, pending: { mutate: n % 7 }, workers: { live: 8, idle: 1 }, alerts: [] } });
  };
  window.acquireVsCodeApi = () => ({
    postMessage: () => undefined,
    getState: () => undefined, setState: () => undefined,
  });
  // As the editor delivers what is sent ahead of the page.
  addEventListener('load', () => { send({ type: 'runs', runs: [view] }); send({ type: 'run', course: { view, axes, elites, history } }); });
  window.measure = (ms, rate) => new Promise((resolve) => {
    const stamps = [];
    n = 0;
    const drawnBefore = Number(document.documentElement.dataset.updates);
    const timer = rate === 0 ? undefined : setInterval(patch, 1000 / rate);
    const end = performance.now() + ms;
    const frame = (at) => {
      stamps.push(at);
      if (at < end) return requestAnimationFrame(frame);
      clearInterval(timer);
      resolve({ gaps: stamps.slice(1).map((stamp, i) => stamp - stamps[i]), updates: n, drawn: Number(document.documentElement.dataset.updates) - drawnBefore });
    };
    requestAnimationFrame(frame);
  });
`;

const read = (name: string) => readFileSync(join(files, name), 'utf8');

interface Measured {
  gaps: number[];
  updates: number;
  drawn: number;
}

const server = createServer((request, response) => {
  const name = request.url?.slice(1) ?? '';
  if (name === '') {
    const csp = policy({ nonce: 'bench', source: "'self'" });
    response.setHeader('content-type', 'text/html');
    const [script, style] = [read('page.js'), read('style.css')];
    response.end(dashboardHtml({ csp, nonce: 'bench', script, style, graphs: '/graphs.js', language: 'en', texts }));
    return;
  }
  if (name !== 'graphs.js') return response.writeHead(404).end();
  response.setHeader('content-type', 'text/javascript');
  response.end(read(name));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on('pageerror', (error) => console.error(error.message));
  await page.addInitScript(host);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.locator('#score[data-shown]').waitFor();
  const since = async (name: string) =>
    (await page.evaluate<number>(`performance.getEntriesByName('${name}')[0].startTime`)).toFixed(0);
  const opened = `${await since('first-contentful-paint')} ms to the first paint, script begun at ${await since('peagen/ready')} ms, run drawn at ${await since('peagen/painted')} ms`;
  console.log(`opened with ${ELITES} elites: ${opened}`);
  for (const rate of [0, 10, 20]) {
    const { gaps, updates, drawn } = await page.evaluate<Measured>(`measure(${seconds * 1000}, ${rate})`);
    const sorted = gaps.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
    const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / (1000 / 60)) - 1), 0);
    console.log(
      `${updates} updates in ${seconds} s, drawn ${drawn} times: ${gaps.length} frames, ${dropped} dropped; between frames: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`,
    );
  }
} finally {
  await browser.close();
  server.close();
}
