import assert from 'node:assert/strict';
import { archiveJson } from '../../../../daemon/evolution/evodb/export.ts';
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
  it('writes JSON with axes, statistics and all elites', () => {
    const data = JSON.parse(archiveJson(sampleArchive())) as { stats: unknown; elites: { role: string }[] };
    assert.deepEqual(data.stats, { coverage: 2, qd_score: 3.5, best: 2 });
    assert.deepEqual(
      data.elites.map((elite) => elite.role),
      ['champion', 'champion', 'former'],
    );
  });
});
