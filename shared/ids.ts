/** Branded identifiers. An id is made here or parsed here; everything else passes it on. */
import * as z from 'zod';

/** A task's id: lower-case hex, 16 to 64 digits. */
export const TaskId = z
  .string()
  .regex(/^[0-9a-f]{16,64}$/, 'expected 16 to 64 hexadecimal digits')
  .brand<'TaskId'>();
export type TaskId = z.infer<typeof TaskId>;

/** A run's id, also the name of its folder: `20260131-142501-3fa9c1`. */
export const RunId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected lower-case letters, digits and dashes')
  .brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

/** SHA-256 in lower-case hex: of a program, an answer, a prompt. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hexadecimal')
  .brand<'Sha256'>();
export type Sha256 = z.infer<typeof Sha256>;

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function newTaskId(): TaskId {
  return TaskId.parse(randomHex(16));
}

/** Sorts by time of creation; `now` in milliseconds since the epoch. `mark`: the last part, six hexadecimal digits. */
export function newRunId(now: number, mark: string = randomHex(3)): RunId {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return RunId.parse(`${stamp}-${mark}`);
}
