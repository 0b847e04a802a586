import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { assetPath } from '../../../daemon/assets.ts';
import { metricsRegistry } from '../../../daemon/telemetry/metrics.ts';
import { DaemonStatus } from '../../../shared/protocol/session.ts';
import { Mutate } from '../../../shared/protocol/targets.ts';
import { startTestLlm } from '../../llm/server.ts';
import { Home, until } from './home.ts';

const rules = assetPath('deploy/prometheus/alerts.yml');

const Dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string().min(1), targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).min(1) }),
  ),
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function get(port: number, path: string, headers = {}, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject).end();
  });
}

describe('the metrics of a daemon', () => {
  async function withMetrics(home: Home): Promise<number> {
    const port = await freePort();
    home.env['PEAGEN_METRICS_PORT'] = String(port);
    const { code, stderr } = await home.peagen('daemon', 'start', '--workspace', 'workspace');
    assert.equal(code, 0, stderr);
    await until(() => home.log().some((entry) => entry.msg.startsWith('metrics at')), 'the endpoint');
    return port;
  }

  it('are served with the health, on the loopback, to those who call it by its name', async () => {
    await using home = new Home();
    const port = await withMetrics(home);
    const { status, body } = await get(port, '/metrics');
    assert.equal(status, 200);
    assert.match(body, /^result_backend_fail_total 0$/m);
    assert.equal((await get(port, '/healthz')).status, 200);
    assert.equal((await get(port, '/readyz')).body, 'ready\n');
    assert.equal((await get(port, '/')).status, 404);
    assert.equal((await get(port, '/metrics', {}, 'POST')).status, 405);
    assert.equal((await get(port, '/metrics', { host: 'evil.example' })).status, 403);
  });

  it("tell a back end's errors and its breaker's state, though the worker that met them is gone", async () => {
    await using home = new Home();
    const llm = await startTestLlm();
    llm.script(...Array.from({ length: 3 }, () => ({ type: 'status', status: 503, retryAfter: '0' }) as const));
    writeFileSync(join(home.workspace, 'slow.py'), 'def slow(items):\n    return sorted(items)\n');
    writeFileSync(
      join(home.workspace, '.peagen.toml'),
      `[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`,
    );
    const port = await withMetrics(home);
    const client = await home.client();
    const target = { root: home.workspace, path: 'slow.py', entry_fn: 'slow' };
    llm.script({ type: 'answer', text: 'Change: a list\n```python\ndef slow(items):\n    return sorted(list(items))\n```\n' });
    await client.request(Mutate, { target, mutator: 'rewrite' });
    await llm.close();
    const { body } = await get(port, '/metrics');
    assert.match(body, /^llm_errors_total\{backend="a",kind="server"\} 3$/m);
    assert.match(body, /^llm_breaker_state\{backend="a"\} 0$/m);
  });

  it('say that the daemon is not ready when its configuration is wrong', async () => {
    await using home = new Home();
    const port = await withMetrics(home);
    writeFileSync(join(home.workspace, '.peagen.toml'), '[evolve]\npopulation = "many"\n');
    const client = await home.client();
    const { ListRuns } = await import('../../../shared/protocol/runs.ts');
    await assert.rejects(client.request(ListRuns, {}), { code: 'invalid_config' });
    const { status, body } = await get(port, '/readyz');
    assert.deepEqual([status, /evolve\.population/.test(body)], [503, true]);
    assert.equal((await get(port, '/healthz')).status, 200);
  });

  it('are off unless asked for, and a taken port does not stop the daemon', async () => {
    await using home = new Home();
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    home.env['PEAGEN_METRICS_PORT'] = String((blocker.address() as AddressInfo).port);
    await home.peagen('daemon', 'start', '--workspace', 'workspace');
    await until(() => home.log().some((entry) => /cannot be used \(EADDRINUSE\)/.test(entry.msg)), 'the complaint');
    const client = await home.client();
    assert.equal((await client.request(DaemonStatus, {})).clients, 1);
    blocker.close();
  });

  it('are scraped by a real Prometheus, which takes the alert rules', async function () {
    if (!(await available('prometheus'))) return this.skip();
    await using home = new Home();
    const [port, own] = [await withMetrics(home), await freePort()];
    const config = readFileSync(assetPath('deploy/prometheus/prometheus.yml'), 'utf8')
      .replaceAll('15s', '1s')
      .replace('alerts.yml', rules)
      .replaceAll('9464', String(port));
    writeFileSync(join(home.folder, 'prometheus.yml'), config);
    home.run('prometheus', [
      `--config.file=${join(home.folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(home.folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${own}`,
    ]);
    const query = async (path: string) => (await get(own, path).catch(() => ({ body: '{}' }))).body;
    await until(async () => /"value":\[[\d.]+,"1"\]/.test(await query('/api/v1/query?query=up')), 'a scrape');
    assert.match(await query('/api/v1/query?query=result_backend_fail_total'), /"job":"peagen"/);
    await until(async () => ((await query('/api/v1/rules')).match(/"health":"ok"/g) ?? []).length === 6, 'the rules');
  });
});

async function available(program: string): Promise<boolean> {
  const found = spawnSync(program, ['--version']).status === 0;
  if (!found) assert.notEqual(process.env['CI'], 'true', `${program} is missing`);
  return found;
}

describe('the alert rules and the dashboard', () => {
  before(async function () {
    if (!(await available('promtool'))) this.skip();
  });

  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  };

  it('hold for promtool, and fire when they should', () => {
    promtool('check', 'config', assetPath('deploy/prometheus/prometheus.yml'));
    promtool('check', 'rules', rules);
    const tests = ['alerts.test.yml', 'alerts-usual.test.yml'].map((name) => join(import.meta.dirname, '.', name));
    promtool('test', 'rules', ...tests);
  });

  it('ask for metrics that exist, in words that Prometheus understands', async () => {
    await using home = new Home();
    const { panels } = Dashboard.parse(JSON.parse(readFileSync(assetPath('deploy/grafana/dashboard.json'), 'utf8')));
    const expressions = panels.flatMap((panel) => panel.targets.map((target) => target.expr));
    const asRules = expressions.map((expr, i) => `      - record: panel:${i}\n        expr: ${JSON.stringify(expr)}\n`);
    const path = join(home.folder, 'panels.yml');
    writeFileSync(path, `groups:\n  - name: panels\n    rules:\n${asRules.join('')}`);
    promtool('check', 'rules', path);

    const known = metricsRegistry.getMetricsAsArray().map((metric) => metric.name);
    const text = `${expressions.join('\n')}\n${readFileSync(rules, 'utf8').replaceAll(/^ *(#|summary|fix|- alert).*$/gm, '')}`;
    const asked = new Set(text.match(/\b[a-z]+(_[a-z]+)+\b(?=[{[])/g));
    assert.ok(asked.size > 12);
    const unknown = [...asked].filter((name) => !known.includes(name.replace(/_bucket$/, '')));
    assert.deepEqual(unknown, []);
  });

  it('show what a user wants to see: tokens a second, tasks that wait, the best score', () => {
    const text = readFileSync(assetPath('deploy/grafana/dashboard.json'), 'utf8');
    for (const name of ['llm_tokens_total', 'queue_pending_total', 'evo_best_score']) assert.ok(text.includes(name), name);
  });
});
