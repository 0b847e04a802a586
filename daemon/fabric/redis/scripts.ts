/** The transitions of the queue as Lua scripts, one file each, with their hashes. Each is atomic and safe to send again. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';

/** How long the queue remembers the id of a task that is done, in seconds. */
export const REMEMBER_S = 900;

export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

/** The text of a file, with that of parts where it says "-- include x". */
function read(name: string): string {
  const text = readFileSync(assetPath(`fabric/redis/scripts/${name}.lua`), 'utf8');
  return text.replaceAll(/^ *-- include (\S+)$/gm, (_, part) => read(`parts/${part}`));
}

function script(name: string): Script {
  const text = read('parts/common') + read(name);
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}

export const scripts = {
  enqueue: script('enqueue'),
  claim: script('claim'),
  beat: script('beat'),
  withdraw: script('withdraw'),
  complete: script('complete'),
  fail: script('fail'),
  release: script('release'),
  sweep: script('sweep'),
  redrive: script('redrive'),
  states: script('states'),
  depth: script('depth'),
  ack: script('ack'),
  reject: script('reject'),
  check: script('check'),
} as const;
