/** The files of deploy/: what the compose file describes works with this machine's own programs, and is locked down. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod';
import { assetPath } from '../../../daemon/assets.ts';
import { workerImage } from '../../../daemon/fabric/launchers/docker-spec.ts';

const run = promisify(execFile);
const deploy = dirname(assetPath('deploy/compose.yaml'));
const text = (path: string) => readFileSync(join(deploy, path), 'utf8');

/** Fails when the program finds a mistake. It may be missing, but for CI, which installs it. */
async function checkedBy(program: string, args: string[]): Promise<void> {
  await run(program, args).catch((caught: unknown) => {
    if (process.env['CI'] || !(caught instanceof Error && 'code' in caught && caught.code === 'ENOENT')) throw caught;
  });
}

const Service = z.object({
  image: z.string(),
  user: z.string().optional(),
  command: z.array(z.string()).default([]),
  environment: z.union([z.record(z.string(), z.string()), z.array(z.string())]).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
});
const Compose = z.object({
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

describe('the team server of the compose file', () => {
  const { services } = Compose.parse(parse(text('compose.yaml')));

  it('runs every service as a user, without capabilities, within limits, from an image with a version', () => {
    for (const [name, { image, user, cap_drop, security_opt, mem_limit }] of Object.entries(services)) {
      assert.match(user ?? '', /^[1-9]\d*:[1-9]\d*$/, name);
      assert.deepEqual(cap_drop, ['ALL'], name);
      assert.ok(security_opt.includes('no-new-privileges:true'), name);
      assert.ok(mem_limit !== undefined, name);
      assert.match(image, /:[^:]*\d/, name);
    }
    assert.equal(services['host']?.image.replace(/\$\{.*:-(.*)\}/, '$1'), workerImage);
  });

  it('mounts files that are there, and opens Redis alone to others', () => {
    for (const { volumes } of Object.values(services)) {
      for (const path of volumes.flatMap((volume) => /^(\.[^:]*):/.exec(volume)?.[1] ?? []))
        assert.ok(existsSync(join(deploy, path)), path);
    }
    const open = Object.values(services).flatMap(({ ports }) => ports.filter((port) => !port.startsWith('127.0.0.1:')));
    assert.deepEqual(open, ['6379:6379']);
  });

  it('names in example.env every variable that it asks for', () => {
    const asked = [...text('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    for (const name of asked) assert.match(text('example.env'), new RegExp(`^${name}=`, 'm'));
  });

  it('gives Prometheus a configuration that it takes, and Grafana a dashboard that is there', async () => {
    const team = join(deploy, 'prometheus', 'team.yml');
    await checkedBy('promtool', ['check', 'config', team]);
    const Providers = z.object({ providers: z.array(z.object({ options: z.object({ path: z.string() }) })).length(1) });
    const [provider] = Providers.parse(parse(text('grafana/provisioning/dashboards/peagen.yaml'))).providers;
    assert.ok(services['grafana']?.volumes.some((volume) => volume.includes(`:${provider?.options.path}/`)));
  });
});

describe('the units for systemd', () => {
  it('are right by its own check', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-units-'));
    // The program is not installed here.
    for (const unit of ['peagen-host.service', 'peagen-host.socket'])
      await writeFile(join(folder, unit), text(`systemd/${unit}`).replace('/usr/bin/peagen', process.execPath));
    await checkedBy('systemd-analyze', ['verify', join(folder, 'peagen-host.service'), join(folder, 'peagen-host.socket')]);
    await rm(folder, { recursive: true });
  });

  const sections = (path: string) =>
    new Map([...text(path).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));

  it('start a host by a connection, and end it when there is nothing to do', () => {
    const service = sections('systemd/peagen-host.service');
    assert.match(service.get('ExecStart') ?? '', /worker start .*--exit-after-idle \d+m/);
    assert.equal(service.get('User'), 'peagen');
    assert.equal(service.get('NoNewPrivileges'), 'true');
    const grace = Number(/--grace (\d+)s/.exec(service.get('ExecStart') ?? '')?.[1]);
    assert.ok(Number(service.get('TimeoutStopSec')) > grace);
    const socket = sections('systemd/peagen-host.socket');
    assert.ok(Number(socket.get('ListenStream')) > 1024);
    // What woke it last must not wake it again when it ends.
    assert.equal(socket.get('FlushPending'), 'yes');
  });
});
