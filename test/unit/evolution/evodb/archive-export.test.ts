import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { archiveCsv, archiveJson } from '../../../../daemon/evolution/evodb/export.ts';
import { EvoDB } from '../../../../daemon/evolution/evodb.ts';
import { shaOf } from '../../../conformance/selector.ts';

function sampleArchive(): EvoDB {
  const archive = new EvoDB([{ name: 'speed', bin: 5, unit: 'ms' }]);
  const add = (id: number, fitness: number, feature: number, summary: string) =>
    archive.add({
      sha256: shaOf(id),
      fitness,
      features: [feature],
      metrics: { speedup: fitness },
      generation: id,
      index: id,
      parents: id > 0 ? [shaOf(id - 1)] : [],
      mutator: 'patch',
      summary,
    });
  add(0, 1, 12, 'the original');
  add(1, 1.5, 12, 'a "quoted", broken\nline');
  add(2, 2, 3, '=HYPERLINK("http://example.com")');
  return archive;
}

describe('archive export', () => {
  it('writes a table that a CSV reader takes apart again, without formulas', function () {
    const csv = archiveCsv(sampleArchive());
    assert.ok(csv.startsWith('niche,label,role,sha256,'));
    assert.ok(csv.includes(`"'=HYPERLINK(""http://example.com"")"`));
    const script = 'import csv,json,sys; print(json.dumps(list(csv.DictReader(sys.stdin, strict=True))))';
    const python = spawnSync('python3', ['-c', script], { input: csv, encoding: 'utf8' });
    if (python.error !== undefined) {
      if (process.env['CI'] === 'true') throw python.error;
      this.skip();
    }
    const rows = JSON.parse(python.stdout) as Record<string, string>[];
    assert.deepEqual(
      rows.map((row) => [row['niche'], row['role'], row['fitness'], row['feature_speed'], row['speedup']]),
      [
        ['0', 'champion', '2', '3', '2'],
        ['2', 'champion', '1.5', '12', '1.5'],
        ['2', 'former', '1', '12', '1'],
      ],
    );
    assert.equal(rows[1]?.['summary'], 'a "quoted", broken\nline');
    assert.equal(rows[1]?.['label'], 'speed 10–15 ms');
  });

  it('writes JSON with axes, statistics and all elites', () => {
    const data = JSON.parse(archiveJson(sampleArchive())) as { stats: unknown; elites: { role: string }[] };
    assert.deepEqual(data.stats, { coverage: 2, qd_score: 3.5, best: 2 });
    assert.deepEqual(
      data.elites.map((elite) => elite.role),
      ['champion', 'champion', 'former'],
    );
  });
});
