/** The reference for Kubernetes is valid by the published schemas of Kubernetes and KEDA. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const root = join(import.meta.dirname, '..', '..', '..', 'daemon', 'deploy', 'kubernetes');
const load = createRequire(import.meta.url);
const Resource = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const Model = z.custom<new (data: unknown) => { validate(): void }>((value) => typeof value === 'function');

function modelOf({ apiVersion, kind }: z.infer<typeof Resource>) {
  const library = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
  return z
    .record(z.string(), z.unknown())
    .transform((module) => Model.parse(module[kind]))
    .parse(load(`${library}/${apiVersion}/${kind}`));
}

describe('every resource of the reference for Kubernetes', () => {
  for (const path of globSync('*/*.yaml', { cwd: root, exclude: ['**/kustomization.yaml'] })) {
    it(`is valid: ${path}`, () => {
      const resources = parseAllDocuments(readFileSync(join(root, path), 'utf8')).map((each) => Resource.parse(each.toJS()));
      assert.ok(resources.length > 0);
      for (const resource of resources) new (modelOf(resource))(resource).validate();
    });
  }
});
