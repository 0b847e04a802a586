/**
 * The editor's own language models. They live in the editor, so the daemon asks it: the server provides a bridge while
 * a client that has models is connected. In a process without one, the back end says so.
 */
import type { LlmBackendConfig } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { EditorModel } from '../../../shared/protocol/models.ts';
import type { LlmBackend } from '../backend.ts';
import { BackendFailure } from '../failure.ts';

/** What a connection to an editor offers. */
export interface EditorModels {
  /** The models that the user lets us use, now. */
  list(): Promise<readonly EditorModel[]>;
  /** Asks one of them; the editor asks the user for consent when it must. Throws PeagenError. */
  ask(
    model: string,
    request: ChatRequest,
    options: { signal: AbortSignal; onText?: (piece: string) => void },
  ): Promise<ChatAnswer>;
}

let bridge: EditorModels | undefined;

/** The server calls this when a client with models comes or goes; the latest one answers. */
export function provideEditorModels(models: EditorModels | undefined): void {
  bridge = models;
}

/** The editor that answers now. Throws `unavailable`, which no retry helps until an editor comes. */
export function requireEditorModels(): EditorModels {
  if (bridge !== undefined) return bridge;
  throw new PeagenError('unavailable', 'No editor that offers language models is connected.', {
    hint: 'Open the workspace in VS Code and sign in to a model provider there.',
    retryable: false,
  });
}

export function editorBackend({ name, model }: LlmBackendConfig): LlmBackend {
  return {
    name,
    model,
    async ask(request, options) {
      try {
        return { ...(await requireEditorModels().ask(model, request, options)), backend: name };
      } catch (caught) {
        throw editorFailure(caught, name, options.signal);
      }
    },
  };
}

/** A refused consent or an empty quota does not pass by itself; a lost connection may. */
function editorFailure(caught: unknown, name: string, signal: AbortSignal): BackendFailure {
  if (caught instanceof BackendFailure) return caught;
  if (signal.aborted) return new BackendFailure('cancelled', name, 'the question was withdrawn.');
  const error = PeagenError.from(caught);
  const kind =
    error.code === 'budget_exceeded' ? 'quota' : error.code === 'untrusted' ? 'auth' : error.retryable ? 'network' : 'request';
  return new BackendFailure(kind, name, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
  });
}
