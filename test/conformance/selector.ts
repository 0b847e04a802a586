/** What every parent selector promises, whatever the archive holds and whatever feedback it got. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { EvoDB } from '../../daemon/evolution/evodb.ts';
import type { ParentSelector } from '../../daemon/evolution/selectors/selector.ts';
import { createRandom } from '../../daemon/random.ts';
import { Sha256 } from '../../shared/ids.ts';

export const shaOf = (id: number | string): Sha256 => Sha256.parse(createHash('sha256').update(`${id}`).digest('hex'));

export interface Point {
  readonly id: number | string;
  readonly fitness: number;
  readonly feature: number;
  readonly generation?: number;
  readonly metrics?: Record<string, number>;
}

/** An archive of one axis with bins of 1. */
export function archiveOf(points: readonly Point[]): EvoDB {
  const archive = new EvoDB([{ name: 'place', bin: 1, unit: '' }]);
  for (const { id, fitness, feature, generation = 0, metrics = { score: fitness } } of points) {
    archive.add({
      sha256: shaOf(id),
      fitness,
      features: [feature],
      metrics,
      generation,
      index: 0,
      parents: [],
      mutator: 'test',
      summary: '',
    });
  }
  return archive;
}

const anyPoints = fc.array(
  fc.record({ id: fc.nat(40), fitness: fc.integer({ min: -3, max: 9 }), feature: fc.nat(30), generation: fc.nat(12) }),
  { minLength: 1, maxLength: 60 },
);
const anyFeedback = fc.array(fc.tuple(fc.nat(40), fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))), {
  maxLength: 40,
});

export function selectorConformance(name: string, make: () => ParentSelector): void {
  const told = (feedback: readonly (readonly [number, number])[]): ParentSelector => {
    const selector = make();
    for (const [id, gain] of feedback) selector.feedback(shaOf(id), gain);
    return selector;
  };

  describe(`selector ${name}`, () => {
    it('has its name', () => {
      assert.equal(make().name, name);
    });

    it('selects a champion, and leaves the archive as it is', () => {
      fc.assert(
        fc.property(anyPoints, anyFeedback, fc.nat(), (points, feedback, seed) => {
          const archive = archiveOf(points);
          const before = archive.snapshot();
          const selector = told(feedback);
          const random = createRandom(seed);
          for (let i = 0; i < 5; i++) assert.ok(archive.champions().includes(selector.select(archive, random)));
          assert.deepEqual(archive.snapshot(), before);
        }),
      );
    });

    it('selects the only champion there is', () => {
      const archive = archiveOf([{ id: 1, fitness: 1, feature: 0 }]);
      const random = createRandom(1);
      assert.equal(make().select(archive, random).sha256, shaOf(1));
      assert.deepEqual(make().inspirations(archive, 3, shaOf(1), random), []);
    });

    it('gives inspirations that differ from the parent and from each other, from other niches when there are enough', () => {
      fc.assert(
        fc.property(anyPoints, anyFeedback, fc.nat(5), fc.nat(), (points, feedback, k, seed) => {
          const archive = archiveOf(points);
          const selector = told(feedback);
          const random = createRandom(seed);
          const parent = selector.select(archive, random);
          const given = selector.inspirations(archive, k, parent.sha256, random);
          const programs = new Set(given.map((elite) => elite.sha256));
          assert.ok(given.length <= k);
          assert.equal(programs.size, given.length);
          assert.ok(!programs.has(parent.sha256));
          for (const elite of given) assert.ok(archive.find(elite.sha256) !== undefined);
          const others = new Set(archive.champions().map((elite) => elite.sha256));
          others.delete(parent.sha256);
          if (others.size < k) return;
          assert.equal(given.length, k);
          assert.equal(new Set(given.map((elite) => elite.niche)).size, k);
        }),
      );
    });

    it('repeats itself for the same archive, feedback and seed', () => {
      fc.assert(
        fc.property(anyPoints, anyFeedback, fc.nat(), (points, feedback, seed) => {
          const choices = () => {
            const archive = archiveOf(points);
            const selector = told(feedback);
            return Array.from({ length: 5 }, (_, i) => {
              const parent = selector.select(archive, createRandom(seed, i));
              const inspirations = selector.inspirations(archive, 2, parent.sha256, createRandom(seed, i));
              return [parent.sha256, ...inspirations.map((elite) => elite.sha256)];
            });
          };
          assert.deepEqual(choices(), choices());
        }),
      );
    });

    it('learns from feedback alone, so that a resumed run selects as the interrupted one would have', () => {
      fc.assert(
        fc.property(anyPoints, anyFeedback, fc.nat(), (points, feedback, seed) => {
          const archive = archiveOf(points);
          const live = make();
          for (const [id, gain] of feedback) {
            const parent = live.select(archive, createRandom(seed, id));
            live.inspirations(archive, 2, parent.sha256, createRandom(seed, id));
            live.feedback(shaOf(id), gain);
          }
          const resumed = told(feedback);
          for (let i = 0; i < 5; i++) {
            assert.equal(live.select(archive, createRandom(i)), resumed.select(archive, createRandom(i)));
          }
        }),
      );
    });

    it('selects from 3,000 niches as it does from a few', () => {
      const archive = archiveOf(
        Array.from({ length: 3000 }, (_, i) => ({ id: i, fitness: i % 97, feature: i, generation: i % 50 })),
      );
      const selector = make();
      const random = createRandom(name);
      for (let i = 0; i < 20; i++) {
        const parent = selector.select(archive, random);
        assert.equal(archive.get(parent.niche), parent);
        assert.equal(selector.inspirations(archive, 4, parent.sha256, random).length, 4);
        selector.feedback(parent.sha256, i % 3);
      }
    });
  });
}
