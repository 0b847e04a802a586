/**
 * The mutators that ask a language model: patch, rewrite, crossover and fix differ in their prompt and in nothing else;
 * an answer in another form than asked for is taken all the same. An answer that does not apply, or gives a program
 * that does not parse, is sent back once with the reason. An unchanged parent is never a child.
 */

import { addTokens, type TokenUse } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { ASKS_PER_CANDIDATE, LONGER, MAX_PAID } from '../../llm/cost/limits.ts';
import { BackendFailure } from '../../llm/failure.ts';
import { questionAbout } from '../../llm/prompts/question.ts';
import { roleOf } from '../../llm/prompts/roles.ts';
import { oneLine, type PromptKind, type Repair } from '../../llm/prompts/view.ts';
import { promptRecord } from '../../llm/record.ts';
import { fanOutWidth } from '../../llm/routing.ts';
import { createRandom } from '../../random.ts';
import { childOf } from '../answers/child.ts';
import { temperatureAt } from '../plateau.ts';
import { syntaxError } from '../syntax/parse.ts';
import type { Mutated, Mutator, MutatorContext } from './mutator.ts';

/** Tokens; an answer with less room is not worth its prompt. */
const SHORTEST_ANSWER = 512;
/** Characters of what a model says that it changes. */
const SUMMARY_CHARS = 160;

export function modelMutator(name: PromptKind, config: Config): Mutator {
  return {
    name,
    requires: ['llm'],
    mutate: (payload, context) => new Dialogue(name, config, payload, context).run(),
  };
}

/** The questions and answers for one candidate, and what they have cost. */
class Dialogue {
  private readonly name: PromptKind;
  private readonly config: Config;
  private readonly payload: MutatePayload;
  private readonly context: MutatorContext;
  private readonly recorded: string[] | undefined;
  private readonly tokens: TokenUse = { prompt: 0, completion: 0 };
  /** An answer was cut off: the next one may be longer. */
  private longer = 1;
  /** The latest question and answer, to be kept next to the run. */
  private texts: { prompt?: string; answer?: string } = {};

  constructor(name: PromptKind, config: Config, payload: MutatePayload, context: MutatorContext) {
    this.name = name;
    this.config = config;
    this.payload = payload;
    this.context = context;
    this.recorded = payload.recorded === undefined ? undefined : [...payload.recorded];
  }

  async run(): Promise<Mutated> {
    let repair: Repair | undefined;
    let fault: string | undefined;
    for (let asked = 0; asked < ASKS_PER_CANDIDATE; asked++) {
      const request = await this.request(asked, repair);
      const answer = typeof request === 'string' ? request : await this.ask(request);
      if (typeof answer === 'string') return this.rejected(repair === undefined ? answer : `${repair.reason}; then ${answer}`);
      if (answer.finish === 'refused')
        return this.rejected(`the model declined: ${oneLine(answer.text, SUMMARY_CHARS) || 'no reason given'}`);
      this.longer = answer.finish === 'length' ? LONGER : 1;
      // A model that thinks before it writes has used up its tokens with nothing to show: the same question again.
      if (this.longer > 1 && answer.text.trim() === '') {
        fault = 'the answer was cut off before its first word: raise max_tokens under [mutate]';
        continue;
      }
      const child = await this.childFrom(answer);
      if ('program' in child) {
        const origin = { mutator: this.name, summary: child.summary, backend: answer.backend };
        return { kind: 'child', program: child.program, origin, ...this.texts, tokens: this.tokens };
      }
      repair = { reason: child.fault, answer: answer.text };
      this.context.log.debug({ reason: child.fault, asked }, 'An answer cannot be used.');
    }
    return this.rejected(repair?.reason ?? fault ?? 'no model was asked');
  }

  /** The next question, after `asked` others, or why none can be asked. */
  private async request(asked: number, repair: Repair | undefined): Promise<ChatRequest | string> {
    const { payload, config } = this;
    const built = await questionAbout(this.name, payload, config, repair);
    if (built === undefined) return 'the program is too long to ask about';
    const { asking = {} } = payload;
    const backend = payload.backend ?? config.mutate.backend;
    const maxTokens = this.answerLimit(built.tokens, this.longer * (asking.max_tokens ?? config.mutate.max_tokens), backend);
    const role = this.name === 'fix' ? this.name : roleOf(this.name, payload.role);
    const effort = role === undefined ? undefined : config.mutate.efforts[role];
    const maxPaid = this.affordable(built.tokens + maxTokens, backend, asked === 0 ? MAX_PAID : 1);
    if (maxPaid === 0) return "the candidate's share of the budget does not pay for another question";
    return {
      system: built.system,
      prompt: built.prompt,
      temperature: temperatureAt(payload.plateau ?? 0, temperatureOf(payload) ?? config.mutate.temperature),
      ...(asking.top_p === undefined ? {} : { topP: asking.top_p }),
      maxTokens,
      // Endpoints take a signed 32-bit seed at most.
      seed: payload.seed % 2 ** 31,
      backend,
      ...(effort === undefined ? {} : { effort }),
      maxPaid,
      ...(payload.answered === true ? { patient: true } : {}),
    };
  }

  /** The tokens of an answer: fewer than usual when the allowance pays for a shorter one only. */
  private answerLimit(promptTokens: number, usual: number, backend: string): number {
    const { allowance } = this.payload;
    if (allowance === undefined || this.recorded !== undefined) return usual;
    const left = allowance - this.tokens.prompt - this.tokens.completion;
    const affordable = Math.floor(left / fanOutWidth(this.config, backend)) - promptTokens;
    return affordable >= SHORTEST_ANSWER ? Math.min(usual, affordable) : usual;
  }

  /** How many attempts, at `tokens` each at worst, the allowance pays for: `most` at most. */
  private affordable(tokens: number, backend: string, most: number): number {
    const { allowance } = this.payload;
    if (allowance === undefined || this.recorded !== undefined) return most;
    const left = allowance - this.tokens.prompt - this.tokens.completion;
    return Math.min(most, Math.max(0, Math.floor(left / (tokens * fanOutWidth(this.config, backend)))));
  }

  /** An answer, or why there is none although it has cost something. What has cost nothing is thrown, for others to try. */
  private async ask(request: ChatRequest): Promise<ChatAnswer | string> {
    if (this.recorded !== undefined) {
      const text = this.recorded.shift();
      if (text === undefined) return 'no further answer is recorded';
      this.texts = { prompt: promptRecord(request), answer: text };
      const tokens = { prompt: 0, completion: 0 };
      return { text, backend: 'replay', model: 'recorded', tokens, finish: 'stop', firstTokenMs: 0, totalMs: 0 };
    }
    try {
      const answer = await this.context.ask(request);
      addTokens(this.tokens, answer.tokens);
      this.texts = { prompt: promptRecord(request), answer: answer.text };
      return answer;
    } catch (caught) {
      const error = PeagenError.from(caught);
      if (error instanceof BackendFailure) addTokens(this.tokens, error.tokens);
      if (this.tokens.prompt + this.tokens.completion === 0) throw error;
      return error.line;
    }
  }

  private async childFrom(answer: ChatAnswer): Promise<{ program: Program; summary: string } | { fault: string }> {
    const { parent, entry, original } = this.payload;
    const applied = await childOf(parent.program, { text: answer.text, cut: answer.finish === 'length' }, entry);
    if ('fault' in applied) return applied;
    const error = await syntaxError(applied.program);
    if (error !== undefined && (await syntaxError(original)) === undefined)
      return { fault: `the result does not parse: ${error}` };
    const form = applied.edits === 1 ? '1 change' : `${applied.edits} changes`;
    return { program: applied.program, summary: summaryOf(answer.text) ?? `${this.name}: ${form}` };
  }

  private rejected(reason: string): Mutated {
    return { kind: 'rejected', reason, ...this.texts, tokens: this.tokens };
  }
}

/** The candidate's seed draws one of several. */
function temperatureOf({ asking, seed }: MutatePayload): number | undefined {
  const { temperature } = asking ?? {};
  return Array.isArray(temperature) ? createRandom(seed, 'temperature').pick(temperature) : temperature;
}

/** What the model says that it changes, on one line. */
function summaryOf(answer: string): string | undefined {
  const said = /^[\s*_#>-]*Change:[*_]*[ \t]*(\S.*)$/im.exec(answer)?.[1];
  const line = said === undefined ? '' : oneLine(said.replaceAll(/[*_`]+/g, ''), SUMMARY_CHARS);
  return line === '' ? undefined : line;
}
