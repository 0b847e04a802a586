/**
 * Runs in progress that belong to another process of a folder: the daemon of an earlier build, which keeps its run over
 * an update, or a command line. Their events do not come here, so the list is asked for again while there are any.
 */
import * as vscode from 'vscode';
import type { RunInfo } from '../../shared/run.ts';
import { byCount, targetName } from '../words.ts';

const ASK_AGAIN_MS = 5000;
const TOLD = 'elsewhere.told';

export class Elsewhere implements vscode.Disposable {
  private readonly state: vscode.Memento;
  private readonly askAgain: () => void;
  private timer: NodeJS.Timeout | undefined;

  constructor(state: vscode.Memento, askAgain: () => void) {
    this.state = state;
    this.askAgain = askAgain;
  }

  /** `infos`: all that go on elsewhere, after each listing. A user is notified of each once. */
  note(infos: readonly RunInfo[]): void {
    clearTimeout(this.timer);
    this.timer = infos.length === 0 ? undefined : setTimeout(this.askAgain, ASK_AGAIN_MS);
    const told = new Set(this.state.get<string[]>(TOLD) ?? []);
    const fresh = infos.filter(({ run }) => !told.has(run));
    if (fresh.length === 0) return;
    void this.state.update(
      TOLD,
      infos.map(({ run }) => run),
    );
    const names = fresh.map(targetName).join(', ');
    void vscode.window.showInformationMessage(
      byCount(
        fresh.length,
        vscode.l10n.t(
          'The run on {0} goes on in the process that started it: an earlier version of Peagen, or the command line.',
          names,
        ),
        vscode.l10n.t(
          'The runs on {0} go on in the process that started them: an earlier version of Peagen, or the command line.',
          names,
        ),
      ),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
