/** The window's log: the editor's own channel, which has levels, and its latest lines for a report of an issue. */
import type * as vscode from 'vscode';

interface WindowLog {
  readonly channel: vscode.LogOutputChannel;
  /** Oldest first, each with its level; whatever level the user has chosen to see. */
  recent(): readonly string[];
}

const levels = ['debug', 'info', 'warn', 'error'] as const;
const isLevel = (name: unknown): name is (typeof levels)[number] => levels.some((level) => level === name);

/** `most` lines are kept. The traffic with the daemon (`trace`) is not. */
export function keepRecent(channel: vscode.LogOutputChannel, most = 200): WindowLog {
  const lines: string[] = [];
  const keeping = new Proxy(channel, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!isLevel(name)) return value.bind(target);
      return (message: string | Error, ...rest: unknown[]) => {
        const text = message instanceof Error ? (message.stack ?? message.message) : message;
        lines.push(`[${name}] ${[text, ...rest.map(String)].join(' ')}`);
        lines.splice(0, lines.length - most);
        value.call(target, message, ...rest);
      };
    },
  });
  return { channel: keeping, recent: () => lines };
}
