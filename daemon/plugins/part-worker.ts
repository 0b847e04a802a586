/** The entry point of the thread that a plugin's part is in: answers one question after the other. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { PeagenError } from '../../shared/errors.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import type { Basis } from '../../shared/payloads.ts';
import { EvoDB } from '../evolution/evodb.ts';
import type { Mutator } from '../evolution/mutators/mutator.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import type { Evaluator } from '../judging/evaluator.ts';
import { createRandom } from '../random.ts';
import { describePart, importPart, makePart, type PartSource } from './part.ts';
import type { Question, Told } from './part-thread.ts';

const { port, bell }: { port: MessagePort; bell: Int32Array } = workerData;
/** What the manifest says that it is; nothing else of it is believed. */
let part: ParentSelector & Mutator & Evaluator;
let source: PartSource | undefined;
/** Questions and feedback are taken in their order, also while the module is being imported. */
let last: Promise<void> = Promise.resolve();

port.on('message', (message: Question | Told) => {
  last = last.then(() => take(message));
});

async function take(message: Question | Told): Promise<void> {
  if (message.do === 'feedback') {
    try {
      part.feedback(message.parent, message.gain);
    } catch {
      // A selector that cannot learn still selects.
    }
    return;
  }
  port.postMessage(await answerTo(message));
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
}

async function answerTo(question: Question) {
  try {
    return { ok: true, data: await answer(question) };
  } catch (caught) {
    const { code, message, hint } = nameIt(caught);
    return { ok: false, code, message, ...(hint === undefined ? {} : { hint }) };
  }
}

async function answer(question: Question): Promise<unknown> {
  switch (question.do) {
    case 'import':
      source = question.from;
      await importPart(source);
      return undefined;
    case 'open':
      source = question.from;
      part = (await makePart(await importPart(source), source, question.config)) as typeof part;
      return describe(source.part.kind);
    case 'select':
      return [part.select(EvoDB.restore(question.archive), createRandom('plugin', question.seed)).sha256];
    case 'inspirations': {
      const { archive, seed, k, parent } = question;
      const random = createRandom('plugin', seed);
      return part.inspirations(EvoDB.restore(archive), k, parent, random).map(({ sha256 }) => sha256);
    }
    case 'parse':
      return part.parse(question.spec as EvaluatorSpec);
    case 'requires':
      return (part as Evaluator).requires(question.language);
    case 'outputs':
      return part.outputs?.(question.basis as Basis) ?? { calls: [], heldout: [] };
  }
}

function describe(kind: string): unknown {
  if (kind === 'mutator') return { requires: (part as Mutator).requires };
  if (kind !== 'evaluator') return undefined;
  return { metric: part.metric, derives: part.derive !== undefined, attacks: part.attack !== undefined };
}

/** An error of the plugin with its name; one of ours is shown as it is. */
function nameIt(caught: unknown): PeagenError {
  if (caught instanceof PeagenError || source === undefined) return PeagenError.from(caught);
  const why = caught instanceof Error ? caught.message : String(caught);
  return new PeagenError('invalid_input', `The ${describePart(source)} failed: ${why.split('\n')[0]}`);
}
