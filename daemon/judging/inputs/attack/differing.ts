/** Constants of two programs, such that calls are made first of what only one of them knows. Pure. */
import { isBitwise } from '../constants.ts';
import type { EntrySource } from '../source.ts';
import type { Constants } from '../values/grow.ts';

const MOST_TEXT_CHARS = 40;

/** Constants of both programs; those that only one of them has come first, and numbers of them are half of all. */
export function constantsOf(mine: EntrySource | undefined, theirs: EntrySource | undefined): Constants {
  const [a, b] = [mine?.constants, theirs?.constants];
  const both = <T>(one: readonly T[] = [], two: readonly T[] = []): T[] => {
    const differing = [...two.filter((each) => !one.includes(each)), ...one.filter((each) => !two.includes(each))];
    return [...new Set([...differing, ...one, ...two])];
  };
  const decisive = (one: readonly number[] = [], two: readonly number[] = []): number[] => {
    const all = both(one, two);
    const differing = all.filter((each) => one.includes(each) !== two.includes(each));
    return [...all, ...all.flatMap((_, at) => differing[at % Math.max(1, differing.length)] ?? [])];
  };
  return {
    ints: decisive(a?.ints, b?.ints),
    floats: both(a?.floats, b?.floats),
    strs: both(a?.strs, b?.strs),
    patterns: both(a?.patterns, b?.patterns),
    nulls: a?.nulls === true || b?.nulls === true,
    asked: both(a?.asked, b?.asked),
    nests: a?.nests ?? [],
    fractions: a?.fractions === true,
    twins: a?.twins === true,
    mayBeNaN: a?.mayBeNaN === true,
    spaces: a?.spaces === true || b?.spaces === true,
    decisiveTexts: [...(a?.decisiveTexts ?? []), ...differingTexts(mine?.words, theirs?.words)],
    wide: mine !== undefined && theirs !== undefined && isBitwise(mine) !== isBitwise(theirs),
  };
}

/** Texts that one of the two sources has more often than the other. */
function differingTexts(mine: readonly string[] = [], theirs: readonly string[] = []): string[] {
  const count = (words: readonly string[], text: string): number => words.filter((word) => word === text).length;
  const all = new Set([...mine, ...theirs].filter(({ length }) => length <= MOST_TEXT_CHARS));
  return [...all].filter((text) => count(mine, text) !== count(theirs, text));
}
