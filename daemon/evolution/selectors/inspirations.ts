/** The inspirations that most selectors give: the best other elite, then others at random, each from another niche. */
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';

/** Draws per inspiration before the champions are gone through one by one. */
const DRAWS = 8;

/** Up to `k` elites of other programs than the parent; former champions only when there are too few champions. */
export function drawInspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
  const chosen = new Map<Sha256, Elite>();
  const champions = archive.champions();
  const take = (elite: Elite | undefined) => {
    if (elite !== undefined && elite.sha256 !== parent && chosen.size < k) chosen.set(elite.sha256, elite);
  };
  take(archive.best());
  if (chosen.size === 0) take(archive.ranked(1));
  // Draws cost the same in a large archive as in a small one.
  for (let draw = 0; draw < k * DRAWS && chosen.size < k; draw++) take(random.pick(champions));
  if (chosen.size < k && champions.length <= k * DRAWS) {
    for (const elite of random.shuffle(champions)) take(elite);
    for (const champion of champions) for (const former of archive.niche(champion.niche)?.history ?? []) take(former);
  }
  return [...chosen.values()];
}
