/** The reference for Kubernetes: what it names is there, its pods are locked down, and its lanes are lanes of the queue. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { parseLane } from '../../../daemon/fabric/lanes.ts';
import { canClaim, FIRST_TAG, laneOf } from '../../../shared/task.ts';

const root = join(import.meta.dirname, '..', '..', '..', 'daemon', 'deploy', 'kubernetes');
const Resource = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const documents = globSync('*/*.yaml', { cwd: root }).map((path) => ({
  path,
  resources: parseAllDocuments(readFileSync(join(root, path), 'utf8')).map((each) => Resource.parse(each.toJS())),
}));
const resources = documents.flatMap((document) => document.resources);

const PodSpec = z.object({
  automountServiceAccountToken: z.literal(false),
  securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().positive() }),
  containers: z.array(
    z.object({
      securityContext: z.object({
        readOnlyRootFilesystem: z.literal(true),
        allowPrivilegeEscalation: z.literal(false),
        capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
      }),
      resources: z.object({
        requests: z.object({ cpu: z.string(), memory: z.string() }),
        limits: z.object({ memory: z.string() }),
      }),
    }),
  ),
});
const Workload = z.object({ spec: z.object({ template: z.object({ spec: PodSpec }) }) });
const ScaledJob = z.object({
  spec: z.object({
    minReplicaCount: z.literal(0),
    triggers: z.array(z.object({ metadata: z.object({ username: z.literal('peagen-autoscaler'), stream: z.string() }) })).min(1),
    jobTargetRef: z.object({
      template: z.object({
        spec: z.looseObject({
          containers: z.array(z.object({ env: z.array(z.object({ name: z.string(), value: z.string().optional() })) })),
        }),
      }),
    }),
  }),
});

describe('the reference for Kubernetes', () => {
  it('names resources that are there', () => {
    const Kustomization = z.object({ resources: z.array(z.string()) });
    for (const { path, resources: found } of documents.filter(({ path: each }) => each.endsWith('kustomization.yaml'))) {
      for (const name of Kustomization.parse(found[0]).resources)
        assert.ok(existsSync(join(root, dirname(path), name)), `${path}: ${name}`);
    }
    assert.equal(readFileSync(join(root, 'base', 'redis.conf'), 'utf8'), readFileSync(join(root, '..', 'redis.conf'), 'utf8'));
  });

  it('runs every pod as a user, read-only, without capabilities, within limits', () => {
    const workloads = resources.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    const Job = z.object({ spec: z.object({ jobTargetRef: z.unknown() }) });
    const jobs = resources
      .filter(({ kind }) => kind === 'ScaledJob')
      .map((each) => ({ spec: Job.parse(each).spec.jobTargetRef }));
    assert.deepEqual([workloads.length, jobs.length], [2, 4]);
    for (const each of [...workloads, ...jobs]) Workload.parse(each);
  });

  it('scales by lanes of the queue from none, with workers that can run them', () => {
    for (const each of resources.filter(({ kind }) => kind === 'ScaledJob')) {
      const { triggers, jobTargetRef } = ScaledJob.parse(each).spec;
      const env = jobTargetRef.template.spec.containers.flatMap((container) => container.env);
      const caps = env.find(({ name }) => name === 'WORKER_CAPS')?.value ?? '';
      const lanes = triggers.map(({ metadata }) => /:lane:(.*)$/.exec(metadata.stream)?.[1] ?? '');
      for (const name of lanes) {
        const lane = parseLane(name);
        assert.ok(lane !== undefined);
        assert.deepEqual(lane.tags, lane.tags.toSorted(), 'as the queue names lanes');
        assert.ok(canClaim(lane.tags, new Set(caps.split(','))), caps);
        const first = laneOf({ kind: lane.kind, requires: [...lane.tags, FIRST_TAG] });
        assert.ok(lane.kind !== 'execute' || lanes.includes(first), first);
      }
    }
  });

  it('lets nothing reach a pod, and no pod reach anything, unless a policy says so', () => {
    const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
    const [nothing] = policies;
    assert.deepEqual(nothing?.['spec'], { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    assert.equal(policies.length, 3);
  });
});
