/** Mistakes in an open `.peagen.toml`, at their lines. */
import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import { PeagenError } from '../../../shared/errors.ts';
import { CONFIG_FILE, parseConfig } from '../../config/load.ts';

export function isConfig(uri: string): boolean {
  return uri.endsWith(`/${CONFIG_FILE}`);
}

/** The first mistake, as the loader words it; the environment does not count here. */
export function configDiagnostics(text: string): Diagnostic[] {
  try {
    parseConfig({ text, file: CONFIG_FILE, env: {}, flags: {} });
    return [];
  } catch (caught) {
    const { line: message, code } = PeagenError.from(caught);
    const at = /\.peagen\.toml:(\d+)/.exec(message)?.[1];
    const line = Math.max(0, Number(at ?? 1) - 1);
    return [
      {
        range: { start: { line, character: 0 }, end: { line, character: text.split('\n')[line]?.length ?? 0 } },
        severity: DiagnosticSeverity.Error,
        source: 'peagen',
        code,
        message,
      },
    ];
  }
}
