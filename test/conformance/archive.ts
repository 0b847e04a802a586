/** The laws of MAP-Elites, for any geometry: what every archive promises whatever is offered to it, in whatever order. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { ArchiveEntry, EvoDB } from '../../daemon/evolution/evodb.ts';
import { Sha256 } from '../../shared/ids.ts';

/** `make` gives an empty archive of two axes; features are offered in 0 to 100. */
export function archiveConformance(name: string, make: () => EvoDB): void {
  const anyEntries = fc.array(
    fc.record({
      id: fc.nat(1000),
      fitness: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: 0, max: 10, noNaN: true })),
      features: fc.tuple(fc.double({ min: 0, max: 100, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true })),
      generation: fc.nat(9),
    }),
    { maxLength: 150 },
  );
  const entryOf = ({ id, ...rest }: { id: number; fitness: number; features: number[]; generation: number }): ArchiveEntry => ({
    sha256: Sha256.parse(createHash('sha256').update(`${id}`).digest('hex')),
    metrics: {},
    index: id,
    parents: [],
    mutator: 'test',
    summary: '',
    ...rest,
  });

  describe(`archive with ${name}`, () => {
    it('never loses the best', () => {
      fc.assert(
        fc.property(anyEntries, (raw) => {
          const archive = make();
          let best = Number.NEGATIVE_INFINITY;
          for (const entry of raw.map(entryOf)) {
            archive.add(entry);
            best = Math.max(best, entry.fitness);
            assert.equal(archive.best()?.fitness, best);
            assert.equal(archive.stats().best, best);
          }
        }),
      );
    });

    it('lets a champion only be replaced by a better one, while niches stay where they are', () => {
      fc.assert(
        fc.property(anyEntries, (raw) => {
          const archive = make();
          for (const entry of raw.map(entryOf)) {
            const before = new Map(archive.champions().map((elite) => [elite.niche, elite]));
            const shape = shapeOf(archive);
            const { status, niche } = archive.add(entry);
            if (shapeOf(archive) !== shape) continue;
            const champion = archive.get(niche);
            if (status === 'rejected') assert.equal(champion, before.get(niche));
            else assert.equal(champion?.fitness, entry.fitness);
            assert.equal(status === 'new', !before.has(niche));
            if (status === 'improved') assert.ok(entry.fitness > (before.get(niche)?.fitness ?? Number.NaN));
            for (const [id, elite] of before) if (id !== niche) assert.equal(archive.get(id), elite);
          }
        }),
      );
    });

    it('holds every champion in the niche that its features name, one per niche', () => {
      fc.assert(
        fc.property(anyEntries, (raw) => {
          const archive = make();
          for (const entry of raw) archive.add(entryOf(entry));
          const champions = archive.champions();
          assert.equal(new Set(champions.map((elite) => elite.niche)).size, champions.length);
          assert.equal(archive.stats().coverage, champions.length);
          for (const elite of champions) {
            assert.equal(archive.geometry.place(elite.features), elite.niche);
            assert.equal(archive.get(elite.niche), elite);
            assert.ok(archive.geometry.label(elite.niche).length > 0);
          }
        }),
      );
    });

    it('keeps the first of equals, so an insert repeated changes nothing while niches stay where they are', () => {
      fc.assert(
        fc.property(anyEntries, (raw) => {
          const archive = make();
          for (const entry of raw) archive.add(entryOf(entry));
          const champions = [...archive.champions()];
          const shape = shapeOf(archive);
          for (const { niche: _, ...entry } of champions) assert.equal(archive.add(entry).status, 'rejected');
          if (shapeOf(archive) === shape) assert.deepEqual(archive.champions(), champions);
        }),
      );
    });

    it('is the same for the same entries in the same order', () => {
      fc.assert(
        fc.property(anyEntries, (raw) => {
          const [one, two] = [make(), make()];
          for (const entry of raw) assert.deepEqual(one.add(entryOf(entry)), two.add(entryOf(entry)));
          assert.deepEqual(one.snapshot(), two.snapshot());
        }),
        { numRuns: 30 },
      );
    });

    it('merges to the better of both, best kept', () => {
      fc.assert(
        fc.property(anyEntries, anyEntries, (left, right) => {
          const [one, two] = [make(), make()];
          for (const entry of left) one.add(entryOf(entry));
          for (const entry of right) two.add(entryOf(entry));
          const best = Math.max(one.best()?.fitness ?? -1, two.best()?.fitness ?? -1);
          one.merge(two);
          assert.equal(one.best()?.fitness ?? -1, best);
          for (const elite of two.champions()) {
            const there = one.get(one.geometry.place(elite.features));
            assert.ok((there?.fitness ?? Number.NaN) >= elite.fitness);
            assert.ok(one.find(elite.sha256) !== undefined);
          }
        }),
        { numRuns: 50 },
      );
    });
  });
}

/** The geometry's borders, without what it remembers of the points it has seen. */
function shapeOf(archive: EvoDB): string {
  return JSON.stringify(archive.geometry.snapshot(), (key, value: unknown) => (key.startsWith('sample') ? null : value));
}
