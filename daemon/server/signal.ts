/** From the protocol's cancellation to that of everything else. */
import type { CancellationToken } from 'vscode-languageserver';
import { PeagenError } from '../../shared/errors.ts';

/** Fires when the client withdraws its request. */
export function signalOf(token: CancellationToken): AbortSignal {
  const aborter = new AbortController();
  const withdraw = () => aborter.abort(new PeagenError('cancelled', 'The request was withdrawn.'));
  if (token.isCancellationRequested) withdraw();
  else token.onCancellationRequested(withdraw);
  return aborter.signal;
}
