/** The entry point of the thread that a plugin's selector runs in: answers one question after the other. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import { Archive } from '../evolution/archive.ts';
import { createRandom } from '../evolution/random.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import { describePart, importPart, makePart, type PartSource } from './part.ts';
import type { Question, Told } from './selector-thread.ts';

const { port, bell }: { port: MessagePort; bell: Int32Array } = workerData;
let selector: ParentSelector | undefined;
let source: PartSource | undefined;
/** Questions and feedback are taken in their order, also while the module is being imported. */
let last: Promise<void> = Promise.resolve();

port.on('message', (message: Question | Told) => {
  last = last.then(() => take(message));
});

async function take(message: Question | Told): Promise<void> {
  if (message.do === 'feedback') {
    try {
      selector?.feedback(message.parent, message.gain);
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
    return { ok: true, elites: await elitesFor(question) };
  } catch (caught) {
    const { code, message, hint } = nameIt(caught);
    return { ok: false, code, message, ...(hint === undefined ? {} : { hint }) };
  }
}

async function elitesFor(question: Question): Promise<Sha256[]> {
  if (question.do === 'open') {
    source = question.from;
    selector = makePart(await importPart(source), source, question.config) as ParentSelector;
    return [];
  }
  if (selector === undefined) throw new PeagenError('internal', 'The selector has not been opened.');
  const archive = Archive.restore(question.archive);
  const random = createRandom('plugin', question.seed);
  if (question.do === 'select') return [selector.select(archive, random).sha256];
  return selector.inspirations(archive, question.k, question.parent, random).map(({ sha256 }) => sha256);
}

function nameIt(caught: unknown): PeagenError {
  if (caught instanceof PeagenError || source === undefined) return PeagenError.from(caught);
  const why = caught instanceof Error ? caught.message : String(caught);
  return new PeagenError('invalid_input', `The ${describePart(source)} failed: ${why.split('\n')[0]}`);
}
