import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Cvt } from '../../../../daemon/evolution/evodb/cvt.ts';
import { Grid } from '../../../../daemon/evolution/evodb/grid.ts';
import { QuantileBins } from '../../../../daemon/evolution/evodb/quantile-bins.ts';
import { FeatureSample, quantile } from '../../../../daemon/evolution/evodb/sample.ts';
import { EvoDB } from '../../../../daemon/evolution/evodb.ts';
import { createRandom } from '../../../../daemon/random.ts';
import { FeatureAxis, NicheId } from '../../../../shared/niche.ts';
import { nicheLabel } from '../../../../shared/words/niche-label.ts';
import { shaOf } from '../../../conformance/selector.ts';

describe('archive geometry', () => {
  describe('logarithmic bins', () => {
    const axis: FeatureAxis = { name: 'speed', bin: 10, unit: 'ms', scale: 'log' };
    const grid = new Grid([axis]);

    it('begin at the powers of their ratio, exactly', () => {
      for (let power = -5; power <= 15; power++) assert.equal(grid.place([Number(`1e${power}`)]), `${power}`, `1e${power}`);
      assert.equal(grid.place([999.999]), '2');
    });

    it('hold each value between their ends', () => {
      fc.assert(
        fc.property(
          fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
          fc.double({ min: 1.01, max: 100, noNaN: true }),
          (value, bin) => {
            const at = Number(new Grid([{ ...axis, bin }]).place([value]));
            assert.ok(bin ** at <= value * (1 + 1e-12) && value < bin ** (at + 1) * (1 + 1e-12));
          },
        ),
      );
    });

    it('have one bin for 0 and everything below, and say so', () => {
      const niche = grid.place([0]);
      assert.equal(grid.place([-5]), niche);
      assert.ok(NicheId.safeParse(niche).success);
      assert.equal(nicheLabel(niche, [axis]), 'speed at most 0');
      assert.equal(nicheLabel('1', [axis]), 'speed 10–100 ms');
    });
  });

  describe('quantile bins', () => {
    it('come to hold about equally many values, whatever the distribution', () => {
      const bins = new QuantileBins(8);
      const random = createRandom('skewed');
      const values = Array.from({ length: 4096 }, () => Math.exp(6 * random.next()));
      for (const value of values) bins.observe(value);
      const counts = new Array<number>(8).fill(0);
      for (const value of values) counts[bins.binOf(value)] = (counts[bins.binOf(value)] ?? Number.NaN) + 1;
      for (const count of counts) assert.ok(count <= 2.2 * (4096 / 8) && count > 0, `${counts}`);
    });

    it('move seldom: at doublings of what was seen, and only while they fit badly', () => {
      const bins = new QuantileBins(8);
      const random = createRandom('steady');
      let moves = 0;
      for (let i = 0; i < 20_000; i++) if (bins.observe(random.next())) moves++;
      assert.ok(moves > 0 && moves <= 8, `${moves} moves`);
      let later = 0;
      for (let i = 0; i < 20_000; i++) if (bins.observe(random.next())) later++;
      assert.equal(later, 0);
      for (let i = 0; i < 300_000; i++) if (bins.observe(5 + random.next())) later++;
      assert.ok(later > 0, 'the bins did not follow the values');
    });

    it('manage with values that repeat', () => {
      const bins = new QuantileBins(4);
      for (let i = 0; i < 64; i++) bins.observe(7);
      assert.equal(bins.binOf(7), bins.binOf(8));
      assert.notEqual(bins.binOf(6), bins.binOf(7));
    });

    it('keep the best and the places of elites when they move', () => {
      const axes: FeatureAxis[] = [{ name: 'size', bin: 4, unit: '', scale: 'quantile' }];
      const archive = new EvoDB(axes);
      const random = createRandom('moving');
      let best = 0;
      for (let i = 0; i < 500; i++) {
        const fitness = random.next();
        best = Math.max(best, fitness);
        const features = [i < 100 ? random.next() : 1000 * random.next()];
        archive.add({
          sha256: shaOf(i),
          fitness,
          features,
          metrics: {},
          generation: i,
          index: i,
          parents: [],
          mutator: '',
          summary: '',
        });
        assert.equal(archive.best()?.fitness, best);
      }
      assert.equal(archive.stats().coverage, 4);
      assert.match(archive.geometry.label('1'), /^size \d+(\.\d+)?–\d+/);
      assert.match(archive.geometry.label('0'), /below/);
      assert.match(archive.geometry.label('3'), /from/);
      assert.equal(nicheLabel('1', axes), 'size 2 of 4');
    });
  });

  describe('centroidal Voronoi tessellation', () => {
    const axes: FeatureAxis[] = ['a', 'b', 'c'].map((name) => ({ name, bin: 1, unit: '' }));

    it('spreads its niches: points at random hit each, none more than four times too seldom or too often', () => {
      const cvt = new Cvt(axes, { niches: 32, seed: 3 });
      const random = createRandom('even');
      const draw = () => [100 * random.next(), random.next(), 5 + random.next()];
      for (let i = 0; i < 1024; i++) cvt.observe(draw());
      const counts = new Map<string, number>();
      for (let i = 0; i < 16_000; i++) {
        const niche = cvt.place(draw());
        counts.set(niche, (counts.get(niche) ?? 0) + 1);
      }
      assert.equal(counts.size, 32);
      for (const count of counts.values()) assert.ok(count > 125 && count < 2000, `${count}`);
    });

    it('is the same for the same seed, and another for another', () => {
      const place = (seed: number) => {
        const cvt = new Cvt(axes, { niches: 50, seed });
        return Array.from({ length: 40 }, (_, i) => cvt.place([(i % 7) / 7, (i % 5) / 5, (i % 3) / 3])).join(' ');
      };
      assert.equal(place(1), place(1));
      assert.notEqual(place(1), place(2));
    });

    it('is not thrown out by a few values that lie far away', () => {
      const cvt = new Cvt(axes, { niches: 32, seed: 3 });
      const random = createRandom('outliers');
      for (let i = 0; i < 1024; i++)
        cvt.observe(i % 100 === 7 ? [1e12, -1e12, 1e300] : [random.next(), random.next(), random.next()]);
      const niches = new Set(Array.from({ length: 2000 }, () => cvt.place([random.next(), random.next(), random.next()])));
      assert.ok(niches.size > 15, `${niches.size} niches`);
    });

    it('goes on the same after a snapshot', () => {
      const archive = new EvoDB(axes, new Cvt(axes, { niches: 20, seed: 9 }));
      const random = createRandom('cvt snapshot');
      const add = (to: EvoDB, i: number, features: number[]) =>
        to.add({
          sha256: shaOf(i),
          fitness: i % 7,
          features,
          metrics: {},
          generation: 0,
          index: i,
          parents: [],
          mutator: '',
          summary: '',
        });
      const points = Array.from({ length: 200 }, () => [random.next() * 50, random.next(), random.next()]);
      for (const [i, point] of points.slice(0, 77).entries()) add(archive, i, point);
      const restored = EvoDB.restore(structuredClone(archive.snapshot()));
      for (const [i, point] of points.slice(77).entries())
        assert.deepEqual(add(restored, 100 + i, point), add(archive, 100 + i, point));
      assert.deepEqual(restored.snapshot(), archive.snapshot());
    });
  });

  describe('sample', () => {
    it('estimates quantiles of a long stream from a bounded memory, and is plain data', () => {
      const random = createRandom('sample');
      let sample = new FeatureSample();
      for (let i = 0; i < 100_000; i++) {
        if (i % 9973 === 0) sample = new FeatureSample(structuredClone(sample.state()));
        sample.add(random.next());
      }
      assert.equal(sample.count, 100_000);
      assert.ok(sample.state().values.length <= 1024 && sample.state().values.length >= 512);
      for (const q of [0.1, 0.5, 0.9]) assert.ok(Math.abs(quantile(sample.sorted(), q) - q) < 0.06);
    });

    it('remembers a short stream whole', () => {
      const sample = new FeatureSample();
      for (const value of [3, 1, 2]) sample.add(value);
      assert.deepEqual(sample.sorted(), [1, 2, 3]);
      assert.equal(quantile(sample.sorted(), 0.75), 2.5);
    });
  });

  it('refuses bins that make no sense', () => {
    for (const axis of [
      { name: 'a', bin: 1, scale: 'log' },
      { name: 'a', bin: 2.5, scale: 'quantile' },
      { name: 'a', bin: 1, scale: 'quantile' },
      { name: 'a', bin: 0 },
      { name: 'a', bin: 1, scale: 'cubic' },
    ]) {
      assert.equal(FeatureAxis.safeParse(axis).success, false, JSON.stringify(axis));
    }
  });
});
