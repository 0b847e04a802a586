/** The page for operators names what there is. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the page for operators', () => {
  const page = read('media/docs/operations.md');

  it('has a section of the runbook for every alert, and no other', () => {
    const Rules = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) });
    const { groups } = Rules.parse(parse(read('daemon/deploy/prometheus/alerts.yml')));
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const sections = [...page.matchAll(/^### (.*)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections, alerts);
  });

  it('names files of deploy/ that are there', () => {
    const [table = ''] = /\| file \| for \|[\s\S]*?\n\n/.exec(page) ?? [];
    const named = [...table.matchAll(/`([\w./-]+\/?)`/g)].map(([, path = '']) => path).filter((path) => /[./]/.test(path));
    for (const path of named.filter((each) => !each.startsWith('.peagen'))) {
      assert.ok(existsSync(join(root, 'daemon/deploy', path)), path);
    }
  });
});
