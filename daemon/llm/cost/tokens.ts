/**
 * Counts tokens. One encoding (o200k, that of OpenAI's current models) stands for all: exact there, within some
 * percent elsewhere. Its table is large, so it is loaded on first use and never by a command that asks no model.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import type { ChatRequest } from '../../../shared/llm.ts';
import { assetPath } from '../../assets.ts';
import { countPiece, TokenTable, tableOf } from './token-table.ts';

export type CountTokens = (text: string) => number;

/** The protocol's own tokens: three for each of two messages with their roles, three to start the answer. */
const FRAME = 11;

/** Merging byte pairs takes quadratic time in an unbroken run, so a long one (hostile, or data) is counted in parts of this length: never too few. */
const LONG_RUN = /\w{256}|\s{256}|[^\w\s]{256}/g;

/**
 * The same pattern for text that is nothing but ASCII, as most is: to compile all scripts' letters takes longer than to count
 * a prompt.
 */
const asciiClasses: Readonly<Record<string, string>> = { L: 'A-Za-z', Lu: 'A-Z', Ll: 'a-z', N: '\\d' };
const ASCII_SPLIT_REGEX = new RegExp(
  O200K_TOKEN_SPLIT_REGEX.source.replaceAll(/\\p\{(\w+)\}/g, (_, name: string) => asciiClasses[name] ?? ''),
  'g',
);

/** Pieces remembered: words of a text repeat. Whole texts: the question of one candidate is to a large part that of the next. */
const MOST_KNOWN = 20_000;
const MOST_TEXTS = 64;

let loading: Promise<CountTokens> | undefined;

/** Text that looks like a special token (`<|endoftext|>`) counts as the plain text it is. */
export function tokenCounter(): Promise<CountTokens> {
  loading ??= load();
  return loading;
}

async function load(): Promise<CountTokens> {
  const table = new TokenTable(await readTable());
  const encoder = new TextEncoder();
  const known = new Map<string, number>();
  const countOf = (piece: string): number => {
    let count = known.get(piece);
    if (count !== undefined) return count;
    count = countPiece(table, encoder.encode(piece));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(piece, count);
    return count;
  };
  return inParts((text) => {
    let count = 0;
    const pattern = Buffer.byteLength(text) === text.length ? ASCII_SPLIT_REGEX : O200K_TOKEN_SPLIT_REGEX;
    for (const [piece] of text.matchAll(pattern)) count += countOf(piece);
    return count;
  });
}

/** The build makes a compressed file of it. Run from the sources, it is made of the package's own. */
async function readTable(): Promise<Uint8Array> {
  try {
    return await promisify(brotliDecompress)(await readFile(assetPath('llm/o200k.br')));
  } catch (caught) {
    if ((caught as NodeJS.ErrnoException).code !== 'ENOENT') throw caught;
    // Named where no bundler looks: it would be the largest file of all.
    const vocabulary = 'gpt-tokenizer/bpeRanks/o200k_base';
    const { default: tokens }: typeof import('gpt-tokenizer/bpeRanks/o200k_base') = await import(vocabulary);
    return tableOf(tokens);
  }
}

function inParts(count: CountTokens): CountTokens {
  const texts = new Map<string, number>();
  return (text) => {
    const known = texts.get(text);
    const total = known ?? sumOfParts(text, count);
    texts.delete(text);
    texts.set(text, total);
    const [oldest] = texts.keys();
    if (texts.size > MOST_TEXTS && oldest !== undefined) texts.delete(oldest);
    return total;
  };
}

function sumOfParts(text: string, count: CountTokens): number {
  let total = 0;
  let at = 0;
  for (const run of text.matchAll(LONG_RUN)) {
    if (run.index > at) total += count(text.slice(at, run.index));
    total += count(run[0]);
    at = run.index + run[0].length;
  }
  return at < text.length ? total + count(text.slice(at)) : total;
}

/** Prompt tokens of a request, an upper bound by at most a few for OpenAI's models. */
export async function requestTokens(request: Pick<ChatRequest, 'system' | 'prompt'>): Promise<number> {
  const count = await tokenCounter();
  return count(request.system) + count(request.prompt) + FRAME;
}
