/** Single keys while a command works, on a terminal; anywhere else there are none. */
import { emitKeypressEvents } from 'node:readline';

export interface Keys {
  readonly p: () => void;
  /** Ctrl+C, which sends no signal while keys are read one by one. */
  readonly interrupt: () => void;
}

/** The answer gives the terminal back. */
export function onKeys({ p, interrupt }: Keys): () => void {
  const { stdin } = process;
  if (stdin.isTTY !== true) return () => undefined;
  const onKey = (_text: string | undefined, key: { name?: string; ctrl?: boolean }) => {
    if (key.ctrl === true && key.name === 'c') interrupt();
    else if (key.name === 'p') p();
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume().on('keypress', onKey);
  return () => {
    stdin.off('keypress', onKey).pause();
    stdin.setRawMode(false);
  };
}
