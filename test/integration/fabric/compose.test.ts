/**
 * The services of compose.yaml on a real engine, as they are written there. Without a registry, the images of Redis and Prometheus
 * are this machine's programs, and Grafana is left out; without a bridge, all services share one network, as in a pod.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Container } from 'dockerode';
import { parse } from 'yaml';
import * as z from 'zod';
import { assetPath } from '../../../daemon/assets.ts';
import { workerImage } from '../../../daemon/fabric/launchers/docker-spec.ts';
import { buildWorkerImage } from '../../../daemon/fabric/launchers/image.ts';
import { RunSummary } from '../../../shared/run.ts';
import { builtScript } from '../../built.ts';
import { type Engine, requireEngine } from '../../conformance/launchers/launcher-engine.ts';
import { runPeagen } from '../../peagen.ts';
import { requireRedis } from '../../redis/server.ts';
import { until } from '../daemon/home.ts';
import { writeCountedTarget } from '../evolve/counted-target.ts';

const deploy = dirname(assetPath('deploy/compose.yaml'));
const passwords = { PEAGEN_DAEMON_PASSWORD: 'd', PEAGEN_HOST_PASSWORD: 'h', PEAGEN_AUTOSCALER_PASSWORD: 'a' };
const settings: Readonly<Record<string, string>> = { ...passwords, PEAGEN_QUEUE_KEY: 'k'.repeat(64), GRAFANA_PASSWORD: 'g' };

/** With the variables of the environment file in place, as Compose puts them there. */
const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      user: z.string(),
      entrypoint: z.array(z.string()).optional(),
      command: z.array(z.string()).optional(),
      environment: z.union([z.record(z.string(), z.string()), z.array(z.string())]).default({}),
      volumes: z.array(z.string()).default([]),
      tmpfs: z.array(z.string()).default([]),
      secrets: z.array(z.string()).default([]),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()),
      security_opt: z.array(z.string()),
      pids_limit: z.number().optional(),
    }),
  ),
});
const filled = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
  .replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) => settings[name] ?? (kind === '-' ? rest : ''))
  .replaceAll('$$', '$');
const { services } = Compose.parse(parse(filled));

describe('the services of the compose file on an engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-compose-'));
  let engine: Engine;
  let pod: Container;

  before(async function () {
    requireRedis(this);
    engine = await requireEngine(this);
    // The users of the containers reach the workspaces in it.
    chmodSync(folder, 0o755);
    const { stdout } = await runPeagen(['queue', 'acl', '--workspaces', 'team/*'], folder, { ...process.env, ...passwords });
    writeFileSync(join(folder, 'users.acl'), stdout);
    await buildWorkerImage({ docker: engine.docker, say: () => undefined, bundle: dirname(builtScript('cli')) });
    await standIn('redis', []);
    await standIn('prometheus', [
      'ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
    ]);
    const ExtraHosts = Object.keys(services).map((name) => `${name}:127.0.0.1`);
    const HostConfig = { NetworkMode: 'none', ExtraHosts };
    const Entrypoint = ['node', '-e', 'setInterval(() => {}, 1e6)'];
    pod = await engine.docker.createContainer({ Image: workerImage, Entrypoint, HostConfig });
    await pod.start();
    for (const name of ['redis', 'host', 'prometheus']) await start(name);
  });
  after(async () => {
    for (const { Id } of (await engine?.docker.listContainers({ all: true })) ?? [])
      await engine.docker.getContainer(Id).remove({ force: true });
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An image under the name in the file, in which this machine's programs are mounted. */
  async function standIn(name: string, changes: string[]): Promise<void> {
    const root = join(folder, `image-${name}`);
    for (const place of ['usr', 'data', 'prometheus', 'tmp', 'proc', 'dev', 'sys', 'etc'])
      mkdirSync(join(root, place), { recursive: true });
    for (const place of ['data', 'prometheus']) chmodSync(join(root, place), 0o777);
    for (const link of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${link}`, join(root, link));
    const tar = spawn('tar', ['-C', root, '--owner=0', '--group=0', '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const env = 'ENV PATH=/usr/bin:/bin';
    await text(await engine.docker.importImage(tar.stdout, { repo: services[name]?.image, changes: [env, ...changes] }));
  }

  const inPod = () => ({ NetworkMode: `container:${pod.id}` });

  async function start(name: string): Promise<void> {
    const service = services[name];
    assert.ok(service !== undefined);
    const profile = service.security_opt.find((each) => each.startsWith('seccomp='))?.slice('seccomp='.length);
    const unmasked = service.security_opt.includes('systempaths=unconfined') ? { MaskedPaths: [], ReadonlyPaths: [] } : {};
    const Env = Array.isArray(service.environment)
      ? service.environment.map((each) => `${each}=${settings[each]}`)
      : Object.entries(service.environment).map(([key, value]) => `${key}=${value}`);
    const SecurityOpt = ['no-new-privileges'];
    if (profile !== undefined) SecurityOpt.push(`seccomp=${readFileSync(join(deploy, profile), 'utf8')}`);
    const container = await engine.docker.createContainer({
      ...{ name, Image: service.image, User: service.user, Env },
      ...(service.entrypoint === undefined ? {} : { Entrypoint: service.entrypoint }),
      ...(service.command === undefined ? {} : { Cmd: service.command }),
      ...(service.healthcheck === undefined ? {} : { Healthcheck: { Test: service.healthcheck.test, Interval: 1e9 } }),
      HostConfig: {
        ...{ ...inPod(), ...unmasked, SecurityOpt, CapDrop: service.cap_drop, ReadonlyRootfs: service.read_only },
        ...{
          PidsLimit: service.pids_limit ?? -1,
          Tmpfs: Object.fromEntries(service.tmpfs.map((each) => /^([^:]*):(.*)$/.exec(each)?.slice(1) ?? [each, ''])),
        },
        Binds: [
          ...service.volumes.map((volume) => volume.replace(/^\./, deploy)),
          ...service.secrets.map((secret) => `${join(folder, `${secret}.acl`)}:/run/secrets/${secret}:ro`),
          ...(service.image === workerImage ? [] : ['/usr:/usr:ro']),
        ],
      },
    });
    await container.start();
    await until(async () => {
      const { State } = await container.inspect();
      assert.ok(State.Running, `${name} has ended: ${await container.logs({ stdout: true, stderr: true, tail: 20 })}`);
      return State.Health === undefined || State.Health.Status === 'healthy';
    }, `${name} to be healthy`);
  }

  /** Runs a program of the worker's image as a member would, in a workspace that only it sees. */
  async function member(args: readonly string[], workspace: string, env: readonly string[] = []): Promise<string> {
    const container = await engine.docker.createContainer({
      ...{ Image: workerImage, Entrypoint: ['node'], Cmd: [...args], Env: ['HOME=/tmp', ...env], WorkingDir: '/work' },
      HostConfig: {
        ...{ ...inPod(), Binds: [`${workspace}:/work`], Tmpfs: { '/tmp': 'mode=1777' }, MaskedPaths: [], ReadonlyPaths: [] },
        SecurityOpt: [`seccomp=${readFileSync(join(deploy, 'seccomp.json'), 'utf8')}`],
      },
    });
    await container.start();
    const { StatusCode } = await container.wait();
    const said = String(await container.logs({ stdout: true, stderr: true }));
    await container.remove();
    assert.equal(StatusCode, 0, said);
    return said;
  }

  async function evolved(name: string, env?: readonly string[]): Promise<RunSummary> {
    const workspace = join(folder, name);
    mkdirSync(workspace);
    writeCountedTarget(workspace);
    chmodSync(workspace, 0o777);
    const search = ['evolve', 'run', '--seed', '3', '--generations', '2', '--population', '4', '--deterministic', '--yes'];
    await member(['/opt/peagen/dist/daemon/cli.js', ...search, ...(env === undefined ? ['--sync'] : [])], workspace, env);
    const [summary = ''] = globSync(join(workspace, '.peagen', 'runs', '*', 'summary.json'));
    return RunSummary.parse(JSON.parse(readFileSync(summary, 'utf8')));
  }

  it('has a host without the workspace judge a run as the member would by itself', async () => {
    const shared = await evolved('shared', [
      'PEAGEN__TASK_QUEUE__PROVIDER=redis',
      'PEAGEN__TASK_QUEUE__URL=redis://peagen-daemon@redis:6379',
      'PEAGEN__TASK_QUEUE__WORKSPACE=team/project',
      `PEAGEN_REDIS_PASSWORD=${settings['PEAGEN_DAEMON_PASSWORD']}`,
      `PEAGEN_QUEUE_KEY=${settings['PEAGEN_QUEUE_KEY']}`,
      // It changes and judges nothing by itself.
      'PEAGEN__WORKER__DEFAULTS__CAPS_ONLY=["llm"]',
    ]);
    const alone = await evolved('alone');
    const shown = ({ candidates_digest, correct, evaluated, best }: RunSummary) => [
      ...[candidates_digest, correct, evaluated],
      ...[best?.sha256, best?.score?.fitness],
    ];
    assert.deepEqual(shown(shared), shown(alone));
    assert.equal(shared.evaluated, 8);
  });

  it('has Prometheus take the alerts, and the host count what it ran', async () => {
    const workspace = join(folder, 'asks');
    mkdirSync(workspace);
    const ask = async (url: string) =>
      await member(['-e', `fetch('${url}').then((answer) => answer.text()).then((text) => console.log(text))`], workspace);
    assert.match(await ask('http://prometheus:9090/api/v1/rules'), /PeagenResultStoreFailure/);
    assert.match(await ask('http://host:9464/metrics'), /worker_task_total\{handler="execute-python",status="ok"\} \d/);
  });
});
