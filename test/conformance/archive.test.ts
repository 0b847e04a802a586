import { Cvt } from '../../daemon/evolution/archive/cvt.ts';
import { Archive } from '../../daemon/evolution/archive.ts';
import type { FeatureAxis } from '../../shared/niche.ts';
import { archiveConformance } from './archive.ts';

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 20, unit: 'ms' },
  { name: 'size', bin: 25, unit: '' },
];

archiveConformance('a grid of fixed bins', () => new Archive(axes));

archiveConformance(
  'a grid of logarithmic and quantile bins',
  () =>
    new Archive([
      { name: 'speed', bin: 2, unit: 'ms', scale: 'log' },
      { name: 'size', bin: 5, unit: '', scale: 'quantile' },
    ]),
);

archiveConformance('a centroidal Voronoi tessellation', () => new Archive(axes, new Cvt(axes, { niches: 24, seed: 1 })));
