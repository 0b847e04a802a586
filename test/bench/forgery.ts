/**
 * How often each rule against forged measurements is right: judges the honest and the cheating candidates of both corpora again
 * and again, and prints a row for each rule with 95 % intervals. `--repeats 3` or `--minutes 10` say how long, `--state FILE`
 * adds to the counts of earlier runs, `--together 2` is how many are judged at a time. Nothing here gates anything.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { createDockerTier } from '../../daemon/executors/docker/docker.ts';
import { defaultLimits } from '../../daemon/executors/sandbox.ts';
import { createCommandEvaluator } from '../../daemon/judging/command/command.ts';
import type { EvaluatorContext } from '../../daemon/judging/evaluator.ts';
import { createFunctionEvaluator } from '../../daemon/judging/function/function.ts';
import { MATCH_PAIRS } from '../../daemon/judging/timing/statistics/race.ts';
import type { Execution } from '../../shared/judging.ts';
import { cheats, judgedBy, original } from '../forgery/cheats.ts';
import { type CheatedCommand, commands, measured } from '../forgery/commands.ts';
import { honest, ranking } from '../forgery/honest.ts';
import { contextOf, judgeText, prepareText } from '../integration/judging/judging.ts';

/** A candidate that hides nothing of its work is reported with at most this speed-up. */
const NO_GAIN = 1.2;

/** The rules, by what an accusation says. */
const rules: readonly (readonly [name: string, says: RegExp])[] = [
  ['names of the runner or of a clock', /^forged: It uses/],
  ['answers that no runner gives', /^forged: .*(?:result channel|of the runner\.|of a wait|every call|no runner)/],
  ['work outside of the clock, by the kernel', /^forged: .*the kernel counted outside its clock/],
  ['time around a pass, seen from outside', /^forged: .*went by (?:before|around|after)/],
  ['faster only on second sight', /^forged: .*on first sight/],
  ['slower on inputs like the known ones', /^forged: .*on others like them/],
  ['a command broken on purpose succeeds', /^forged: .*succeeds too when/],
  ['what a command gains where it cannot know', /^forged: .*where it cannot know/],
  ["the end of a command's output is missing", /^forged: .*(?:ends with|left out|reports? no)/],
  ["a command's own times", /^forged: .*its clock or what it prints/],
  ['held-out calls', /^overfit/],
  ['outputs and effects', /^(?:wrong|crashed|invalid|timeout|memory)/],
  ['another rule', /^(?!correct|slow)/],
  ['nothing is gained', /^(?:correct|slow)/],
];
const ruleOf = (told: string): string => rules.find(([, says]) => says.test(told))?.[0] ?? 'another rule';

/** How often a candidate was judged, by the rule that accused it; undefined for one that is believed. */
const Counts = z.record(
  z.string(),
  z.object({ honest: z.boolean(), believed: z.number(), by: z.record(z.string(), z.number()) }),
);

interface Case {
  readonly name: string;
  readonly honest: boolean;
  judge(): Promise<Execution>;
  /** The cheat gained by its trick. */
  escaped(told: string, low: number): boolean;
}

/** Wilson's interval for a proportion at 95 %: E. B. Wilson, "Probable inference", 1927. */
function interval(wrong: number, of: number): string {
  if (of === 0) return '';
  const z = 1.96;
  const share = wrong / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return `${(Math.max(0, middle - half) * 100).toFixed(2)} to ${(Math.min(1, middle + half) * 100).toFixed(2)} %`;
}

async function functionCases(more: Partial<EvaluatorContext>): Promise<Case[]> {
  const evaluator = createFunctionEvaluator();
  const cases: Case[] = [];
  const typescript = original.javascript
    .replace('function sort(items)', 'export function sort(items: number[]): number[]')
    .replace('result = []', 'result: number[] = []');
  for (const [language, text] of Object.entries({ ...original, typescript })) {
    const { basis } = await prepareText(evaluator, language, text, 'sort', judgedBy, more);
    const judging = (code: string) => () => judgeText(evaluator, language, code, basis, more);
    for (const { what, code } of honest.filter((one) => one.language === language)) {
      cases.push({ name: `${language}: ${what}`, honest: true, judge: judging(code), escaped: () => false });
    }
    for (const { name, rule, code } of cheats.filter((one) => one.language === language)) {
      const escaped = (told: string, low: number): boolean =>
        rule instanceof RegExp ? !rule.test(told) : told.startsWith('correct') && low >= NO_GAIN;
      cases.push({ name: `${language}: ${name}`, honest: false, judge: judging(code), escaped });
    }
  }
  const { language, fn, original: text, calls, longer } = ranking;
  const { basis } = await prepareText(evaluator, language, text, fn, { calls, longer }, more);
  // As in a search, which challenges a title with what looks like a gain.
  const match = { ...more, role: 'challenger', pairs: MATCH_PAIRS } as const;
  for (const [what, code] of Object.entries(ranking.honest)) {
    const judge = () => judgeText(evaluator, language, code, basis, match);
    cases.push({ name: `${fn}: ${what}`, honest: true, judge, escaped: () => false });
  }
  return cases;
}

function commandCases(command: CheatedCommand, folder: string, more: Partial<EvaluatorContext>): Case[] {
  const { language, path, effort = 'quick' } = command;
  const evaluator = createCommandEvaluator();
  const root = mkdtempSync(join(folder, 'command-'));
  chmodSync(root, 0o755);
  for (const [file, text] of Object.entries({ ...command.files, [path]: command.original }))
    writeFileSync(join(root, file), text);
  const program = (text: string) => ({ language, files: [{ path, text }], spans: [{ path, start: 0, end: text.length }] });
  const options = { command: command.command, root, metrics: command.metrics };
  const basis = { evaluator: { name: 'command', options }, original: program(command.original), data: null };
  const judging = (code: string) => async () => evaluator.judge(program(code), basis, await contextOf({ effort, ...more }));
  const named = (what: string): string => `${command.name}: ${what}`;
  return [
    ...Object.entries(command.honest).map(([what, code]) => ({
      name: named(what),
      honest: true,
      judge: judging(code),
      escaped: () => false,
    })),
    ...Object.entries(command.cheats).map(([what, [code, rule]]) => ({
      name: named(what),
      honest: false,
      judge: judging(code),
      // On a busy machine a claim is bounded where a quiet one would show who made it.
      escaped: (told: string, low: number) =>
        !rule.test(told) && !(measured.includes(command) && told.startsWith('correct') && low < NO_GAIN),
    })),
  ];
}

function print(counts: z.infer<typeof Counts>): void {
  const all = Object.entries(counts);
  const judgements = (which: boolean): number =>
    all
      .filter(([, one]) => one.honest === which)
      .reduce((sum, [, one]) => sum + one.believed + Object.values(one.by).reduce((a, b) => a + b, 0), 0);
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
  const [honestRuns, cheatRuns] = [judgements(true), judgements(false)];
  row('rule', 'honest accused', '95 % interval', 'cheats it caught', 'of these kinds escaped', '95 % interval');
  row('---', '---', '---', '---', '---', '---');
  for (const [rule] of rules) {
    const accused = sum(all.map(([, one]) => (one.honest ? (one.by[rule] ?? 0) : 0)));
    const kinds = all.filter(([, one]) => !one.honest && one.by[rule] !== undefined).map(([, one]) => one);
    const caught = sum(kinds.map(({ by }) => by[rule] ?? 0));
    if (accused + caught === 0) continue;
    const escaped = sum(kinds.map(({ believed }) => believed));
    const of = escaped + sum(kinds.flatMap(({ by }) => Object.values(by)));
    const among = rule === 'nothing is gained' ? ['', ''] : [`${accused} of ${honestRuns}`, interval(accused, honestRuns)];
    row(rule, ...among, caught, `${escaped} of ${of}`, interval(escaped, of));
  }
  const accused = sum(all.flatMap(([, one]) => (one.honest ? Object.values(one.by) : [])));
  const escaped = sum(all.map(([, one]) => (one.honest ? 0 : one.believed)));
  const totals = [`${accused} of ${honestRuns}`, interval(accused, honestRuns), cheatRuns - escaped] as const;
  row('in all', ...totals, `${escaped} of ${cheatRuns}`, interval(escaped, cheatRuns));
  const silent = rules.map(([rule]) => rule).filter((rule) => all.every(([, one]) => one.by[rule] === undefined));
  console.log(`\nNever the first to accuse: ${silent.join('; ') || 'none'}.`);
  for (const [name, one] of all.filter(([, { honest: is, believed }]) => !is && believed > 0))
    console.log(`Escaped: ${name}, ${one.believed} of ${one.believed + sum(Object.values(one.by))}.`);
  for (const [name, one] of all.filter(([, { honest: is, by }]) => is && Object.keys(by).length > 0))
    console.log(`Accused: ${name}, ${JSON.stringify(one.by)} of ${one.believed + sum(Object.values(one.by))}.`);
}

const { values } = parseArgs({
  options: {
    repeats: { type: 'string' },
    minutes: { type: 'string' },
    together: { type: 'string', default: '2' },
    state: { type: 'string' },
    docker: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const more: Partial<EvaluatorContext> = values.docker
  ? { sandboxes: { tier: createDockerTier(), warning: undefined, limits: defaultLimits } }
  : {};
const folder = mkdtempSync(join(tmpdir(), 'peagen-forgery-'));
chmodSync(folder, 0o755);
try {
  const cases = [...(await functionCases(more)), ...[...commands, ...measured].flatMap((one) => commandCases(one, folder, more))]
    .filter((one) => values.only === undefined || one.honest === (values.only === 'honest'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { state } = values;
  const counts = Counts.parse(state !== undefined && existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : {});
  const end = values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;
  const rounds = Number(values.repeats ?? (values.minutes === undefined ? 3 : Number.MAX_SAFE_INTEGER));
  let [at, round] = [0, 0];
  const work = async (): Promise<void> => {
    while (round < rounds && performance.now() < end) {
      const one = cases[at];
      if (one === undefined) return;
      at = (at + 1) % cases.length;
      if (at === 0) round++;
      const { outcome, metrics } = await one.judge();
      const told = `${outcome.kind}: ${outcome.detail}`;
      // An honest program and a cheat may have one name.
      const name = `${one.honest ? 'honest' : 'cheat'}, ${one.name}`;
      const count = counts[name] ?? { honest: one.honest, believed: 0, by: {} };
      counts[name] = count;
      const isBelieved = one.honest ? outcome.kind === 'correct' : one.escaped(told, metrics['speedup_low'] ?? 0);
      if (isBelieved) count.believed++;
      else count.by[ruleOf(told)] = (count.by[ruleOf(told)] ?? 0) + 1;
      if (state !== undefined) writeFileSync(state, JSON.stringify(counts));
    }
  };
  await Promise.all(Array.from({ length: Number(values.together) }, work));
  print(counts);
} finally {
  rmSync(folder, { recursive: true });
}
