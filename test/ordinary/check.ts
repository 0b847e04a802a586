/** Whether an ordinary function is fit to judge verdicts by. */
import { compareWith } from './comparer.ts';
import type { Fixture } from './fixture.ts';

const CALLS = 500;

/** In words; none where its honest changes always do what it does, and its tempting ones on the typed calls only. */
export async function faultsOf(fixture: Fixture, seed: number): Promise<string[]> {
  const { variants, calls, sessions } = fixture;
  const texts = variants.map(({ text }) => text);
  const [random, typed] = await Promise.all([
    compareWith(fixture, texts, sessions(seed, CALLS), 1),
    compareWith(fixture, texts, [calls]),
  ]);
  const rejected = Object.values(random.raised).reduce((sum, count) => sum + count, 0);
  const faults: string[] = [];
  if (rejected >= CALLS / 2) faults.push(`the original rejects most calls: ${JSON.stringify(random.raised)}`);
  if (Object.keys(typed.raised).length > 0) faults.push(`the original rejects typed calls: ${JSON.stringify(typed.raised)}`);
  for (const [index, { kind, title }] of variants.entries()) {
    const found = random.results[index];
    const onTyped = typed.results[index];
    if (found === undefined || onTyped === undefined) faults.push(`${title}: not compared`);
    else if (kind === 'honest' && found.different + onTyped.different > 0) {
      faults.push(`${title}: it is not honest: ${JSON.stringify(found.first ?? onTyped.first)}`);
    } else if (kind !== 'honest' && found.different === 0) {
      faults.push(`${title}: no random call distinguishes it from the original`);
    } else if (kind !== 'honest' && (onTyped.parts['value'] ?? onTyped.parts['raised']) !== undefined) {
      faults.push(`${title}: a typed call distinguishes it: ${onTyped.first?.difference}`);
    }
  }
  return faults;
}
