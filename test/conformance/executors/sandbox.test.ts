import { requireTier, tiersUnderTest } from '../../sandboxes.ts';
import { executorConformance } from './executor.ts';

for (const { name, create } of tiersUnderTest()) executorConformance(name, create, requireTier);
