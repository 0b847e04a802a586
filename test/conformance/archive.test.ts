import { Cvt } from '../../daemon/evolution/evodb/cvt.ts';
import { EvoDB } from '../../daemon/evolution/evodb.ts';
import type { FeatureAxis } from '../../shared/niche.ts';
import { archiveConformance } from './archive.ts';

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 20, unit: 'ms' },
  { name: 'size', bin: 25, unit: '' },
];

archiveConformance('a grid of fixed bins', () => new EvoDB(axes));

archiveConformance(
  'a grid of logarithmic and quantile bins',
  () =>
    new EvoDB([
      { name: 'speed', bin: 2, unit: 'ms', scale: 'log' },
      { name: 'size', bin: 5, unit: '', scale: 'quantile' },
    ]),
);

archiveConformance('a centroidal Voronoi tessellation', () => new EvoDB(axes, new Cvt(axes, { niches: 24, seed: 1 })));
