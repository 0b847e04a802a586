/** The page's way to the editor. */
import type { FromPage, ToPage } from '../../../../shared/dashboard/messages.ts';
import type { RunId, Sha256 } from '../../../../shared/ids.ts';

/** What the page remembers over a reload. */
export interface PageState {
  readonly run?: RunId;
  readonly x?: string;
  readonly y?: string;
  readonly over?: 'generations' | 'time';
  /** The elite whose lineage shows. */
  readonly of?: Sha256 | undefined;
}

/** What VS Code gives to a webview, once. */
interface Editor {
  postMessage(message: FromPage): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
}

declare function acquireVsCodeApi(): Editor;

export function openTransport(hear: (message: ToPage) => void): Editor {
  addEventListener('message', ({ data }) => hear(data as ToPage));
  return acquireVsCodeApi();
}
