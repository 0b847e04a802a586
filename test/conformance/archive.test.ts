import { Archive } from '../../daemon/evolution/archive.ts';
import type { FeatureAxis } from '../../shared/niche.ts';
import { archiveConformance } from './archive.ts';

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 20, unit: 'ms' },
  { name: 'size', bin: 25, unit: '' },
];

archiveConformance('a grid of fixed bins', () => new Archive(axes));
