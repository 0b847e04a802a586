/** All ordinary functions. */
import type { Fixture } from './fixture.ts';
import { javascriptFixtures } from './javascript.ts';
import { pythonFixtures } from './python.ts';

export const fixtures: readonly Fixture[] = [...pythonFixtures, ...javascriptFixtures];
