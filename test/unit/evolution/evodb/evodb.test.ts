import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { decode, encode } from 'msgpackr';
import { type ArchiveEntry, EvoDB } from '../../../../daemon/evolution/evodb.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { Sha256 } from '../../../../shared/ids.ts';
import { type FeatureAxis, NicheId } from '../../../../shared/niche.ts';

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 5, unit: 'ms' },
  { name: 'size', bin: 40, unit: '' },
];

const sha = (id: number | string): Sha256 => Sha256.parse(createHash('sha256').update(String(id)).digest('hex'));

function entry(id: number | string, fitness: number, features: number[], more: Partial<ArchiveEntry> = {}): ArchiveEntry {
  return {
    sha256: sha(id),
    fitness,
    features,
    metrics: { speedup: fitness },
    generation: 0,
    index: 0,
    parents: [],
    mutator: 'structural',
    summary: '',
    ...more,
  };
}

const anyEntry = fc
  .record({
    id: fc.nat(50),
    // Few values, so that equals are common.
    fitness: fc.integer({ min: -5, max: 5 }),
    features: fc.tuple(fc.double({ min: -30, max: 30, noNaN: true }), fc.double({ min: 0, max: 200, noNaN: true })),
    generation: fc.nat(20),
  })
  .map(({ id, fitness, features, generation }) => entry(id, fitness, features, { generation }));
const anyEntries = fc.array(anyEntry, { maxLength: 120 });

function filled(entries: readonly ArchiveEntry[]): EvoDB {
  const archive = new EvoDB(axes);
  for (const one of entries) archive.add(one);
  return archive;
}

describe('archive', () => {
  it('gives a program that was measured again its new fitness, and each niche the best that it holds', () => {
    fc.assert(
      fc.property(
        anyEntries,
        fc.array(fc.tuple(fc.nat(50), fc.integer({ min: -9, max: 9 })), { maxLength: 20 }),
        (entries, again) => {
          const archive = filled(entries);
          for (const [id, fitness] of again) archive.revise(sha(id), { fitness, metrics: { speedup: fitness } });
          const niches = archive.niches();
          for (const { champion, history } of niches) {
            for (const former of history) assert.ok(former.fitness <= champion.fitness);
            assert.equal(archive.get(champion.niche)?.sha256, champion.sha256);
          }
          const { qd_score, best } = archive.stats();
          const all = niches.map(({ champion }) => champion.fitness);
          assert.ok(Math.abs(qd_score - all.reduce((sum, each) => sum + each, 0)) < 1e-9);
          assert.equal(best, all.length === 0 ? null : Math.max(...all));
          for (const elite of all.map((_, rank) => archive.ranked(rank))) assert.ok(elite !== undefined);
        },
      ),
    );
    assert.equal(new EvoDB(axes).revise(sha(1), { fitness: 1, metrics: {} }), false);
  });

  it('places an entry by floor(value / bin) on each axis', () => {
    const archive = new EvoDB(axes);
    assert.equal(archive.add(entry(1, 1, [12.5, 80])).niche, '2/2');
    assert.equal(archive.add(entry(2, 1, [-0.1, 0])).niche, '-1/0');
    assert.equal(archive.add(entry(3, 1, [-0, 39.99])).niche, '0/0');
    assert.ok(NicheId.safeParse(archive.add(entry(4, 1, [1e300, -1e300])).niche).success);
  });

  it('says new, improved or rejected, and why', () => {
    const archive = new EvoDB(axes);
    assert.deepEqual(archive.add(entry('a', 1, [0, 0])), { status: 'new', niche: '0/0', reason: 'the niche was empty' });
    assert.deepEqual(archive.add(entry('b', 1.5, [1, 1])), { status: 'improved', niche: '0/0', reason: 'fitness 1.5 beats 1' });
    const below = archive.add(entry('c', 1.2, [2, 2]));
    assert.deepEqual(below, { status: 'rejected', niche: '0/0', reason: 'fitness 1.2 is below the champion (1.5)' });
    assert.match(archive.add(entry('d', 1.5, [2, 2])).reason, /equal to the champion, which came first/);
    assert.equal(archive.get('0/0')?.sha256, sha('b'));
  });

  it('makes room by the least novel niche, not by the worst', () => {
    const archive = new EvoDB(axes, undefined, 3);
    for (const [name, fitness, x] of [
      ['far', 1, 500],
      ['left', 3, 0],
      ['right', 4, 11],
      ['best', 9, 12],
    ] as const)
      archive.add(entry(name, fitness, [x, 0]));
    archive.add(entry('other', 5, [900, 0]));
    assert.deepEqual(new Set(archive.champions().map(({ fitness }) => fitness)), new Set([1, 9, 5]));
  });

  it('holds as many niches as it may, and always the best', () => {
    fc.assert(
      fc.property(anyEntries, fc.integer({ min: 1, max: 6 }), (entries, capacity) => {
        const [bounded, free] = [new EvoDB(axes, undefined, capacity), filled(entries)];
        for (const one of entries) {
          const { status, niche } = bounded.add(one);
          assert.ok(status === 'rejected' || bounded.get(niche)?.fitness === one.fitness);
        }
        const champions = bounded.champions();
        assert.ok(champions.length <= capacity);
        assert.equal(bounded.best()?.fitness, free.best()?.fitness);
        assert.deepEqual(new Set(champions.map(({ niche }) => niche)), new Set(bounded.niches().map(({ id }) => id)));
        for (const champion of champions) assert.equal(bounded.get(champion.niche), champion);
        const qd = champions.reduce((sum, { fitness }) => sum + fitness, 0);
        assert.ok(Math.abs(bounded.stats().qd_score - qd) < 1e-9);
      }),
    );
  });

  it('keeps former champions, newest first, and no more than five', () => {
    const archive = filled(Array.from({ length: 8 }, (_, i) => entry(i, i, [0, 0], { generation: i })));
    const niche = archive.niche('0/0');
    assert.deepEqual(
      niche?.history.map((elite) => elite.fitness),
      [6, 5, 4, 3, 2],
    );
    assert.equal(niche?.champion.generation, 7);
    assert.equal(niche?.offered, 8);
  });

  it('finds replaced elites and walks back through parents', () => {
    const archive = filled([
      entry('root', 1, [0, 0]),
      entry('child', 2, [0, 0], { parents: [sha('root')] }),
      entry('grandchild', 3, [0, 0], { parents: [sha('child'), sha('root')] }),
    ]);
    assert.equal(archive.find(sha('root'))?.fitness, 1);
    const path = archive.lineage(sha('grandchild')).map((elite) => elite.sha256);
    assert.deepEqual(path, [sha('grandchild'), sha('child'), sha('root')]);
    assert.deepEqual(archive.lineage(sha('nobody')), []);
  });

  it('ends a lineage that runs in a circle', () => {
    const archive = filled([entry('a', 1, [0, 0], { parents: [sha('b')] }), entry('b', 2, [0, 0], { parents: [sha('a')] })]);
    assert.equal(archive.lineage(sha('a')).length, 2);
  });

  it('refuses what has no place', () => {
    const archive = new EvoDB(axes);
    for (const bad of [entry(1, Number.NaN, [0, 0]), entry(1, 1, [0, Number.POSITIVE_INFINITY]), entry(1, 1, [0])]) {
      assert.throws(
        () => archive.add(bad),
        (error) => error instanceof PeagenError && error.code === 'invalid_input',
      );
    }
    assert.equal(archive.stats().coverage, 0);
    assert.equal(archive.best(), undefined);
  });

  it('ranks champions by fitness, the earlier of equals first', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const archive = filled(entries);
        const ranked = archive.champions().map((_, rank) => archive.ranked(rank));
        // A stable sort by fitness of the champions in the order in which they became champions.
        const expected = replayChampions(entries).sort((a, b) => b.fitness - a.fitness);
        assert.deepEqual(
          ranked.map((elite) => [elite?.sha256, elite?.niche]),
          expected.map((elite) => [elite.sha256, elite.niche]),
        );
        assert.equal(archive.ranked(ranked.length), undefined);
      }),
    );
  });

  it('counts coverage, best and QD score as their definitions do', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const archive = filled(entries);
        const champions = archive.champions();
        const { coverage, qd_score, best } = archive.stats();
        assert.equal(coverage, new Set(champions.map((elite) => elite.niche)).size);
        assert.equal(
          qd_score,
          champions.reduce((sum, elite) => sum + elite.fitness, 0),
        );
        assert.equal(best, champions.length === 0 ? null : Math.max(...champions.map((elite) => elite.fitness)));
      }),
    );
  });

  it('is the same after a snapshot travels through MessagePack, and goes on the same', () => {
    fc.assert(
      fc.property(anyEntries, anyEntries, (before, after) => {
        const archive = filled(before);
        const restored = EvoDB.restore(decode(encode(archive.snapshot())));
        assert.deepEqual(restored.snapshot(), archive.snapshot());
        for (const one of after) assert.deepEqual(restored.add(one), archive.add(one));
        assert.deepEqual(restored.snapshot(), archive.snapshot());
        assert.deepEqual(restored.best(), archive.best());
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a damaged snapshot', () => {
    const good = filled([entry(1, 1, [0, 0])]).snapshot();
    const [niche] = good.niches;
    const damaged = [
      null,
      {},
      { ...good, v: 2 },
      { ...good, elites: [] },
      { ...good, geometry: { kind: 'hexagons', state: null } },
      { ...good, niches: [{ ...niche, id: 'here' }] },
      { ...good, niches: [{ ...niche, held: [] }] },
      { ...good, niches: [{ ...niche, held: [{ elite: 7, order: 0 }] }] },
      { ...good, geometry: { kind: 'grid', state: [] } },
      { ...good, geometry: { kind: 'cvt', state: null } },
    ];
    for (const data of damaged) {
      assert.throws(
        () => EvoDB.restore(data),
        (error) => error instanceof PeagenError && error.code === 'invalid_input' && /damaged/.test(error.message),
      );
    }
  });
});

/** The champions by a second, naive archive, in the order in which they entered. */
function replayChampions(entries: readonly ArchiveEntry[]): { sha256: Sha256; niche: string; fitness: number }[] {
  const champions = new Map<string, { sha256: Sha256; niche: string; fitness: number }>();
  for (const { sha256, fitness, features } of entries) {
    const niche = features.map((value, i) => Math.floor(value / (axes[i]?.bin ?? 1)) + 0).join('/');
    const champion = champions.get(niche);
    if (champion !== undefined && champion.fitness >= fitness) continue;
    champions.delete(niche);
    champions.set(niche, { sha256, niche, fitness });
  }
  return [...champions.values()];
}
