/** The mutators that ask no model pass the suite that plugins are given. */
import { structural } from '../../daemon/evolution/mutators/structural.ts';
import { mutatorConformance } from './mutator.ts';

mutatorConformance('structural', () => structural);
