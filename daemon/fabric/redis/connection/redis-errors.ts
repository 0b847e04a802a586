/** What can go wrong between us and Redis, each case as one clear line with what to do, and which of them pass by themselves. */
import { PeagenError } from '../../../../shared/errors.ts';

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True when sending the same step again can succeed: the connection or the server is away for a while. */
export function passing(error: unknown): boolean {
  if (error instanceof PeagenError) return false;
  const text = textOf(error);
  return (
    /^(READONLY|LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOREPLICAS)\b/.test(text) ||
    /Connection is closed|Stream isn't writeable|Command timed out|Socket timeout|aborted|max retries|EPIPE/i.test(text) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(codeOf(error)) ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** `where` is the address without credentials, `user` the ACL user. */
export function explain(caught: unknown, where: string, user: string): PeagenError {
  if (caught instanceof PeagenError) return caught;
  const [text, code] = [textOf(caught), codeOf(caught)];
  const refuse = (message: string, hint: string) =>
    new PeagenError('invalid_config', `Redis at ${where} ${message}`, { hint, cause: caught });
  const away = (message: string, hint: string) =>
    new PeagenError('unavailable', `Redis at ${where} ${message}`, { hint, cause: caught });

  if (/^WRONGPASS|invalid (username-)?password/i.test(text)) {
    return refuse(`refuses the password of user "${user}".`, 'Set the right one in PEAGEN_REDIS_PASSWORD.');
  }
  if (/^NOAUTH/.test(text)) {
    return refuse('asks for a password.', 'Set it in PEAGEN_REDIS_PASSWORD, and name the user in task_queue.url.');
  }
  // Redis 7.0 says it in other words when it is a command of a script.
  if (/^NOPERM|permission|executing the script can't run/i.test(text)) {
    return refuse(
      `denies user "${user}" what the queue needs: ${text.replace(/ script: [0-9a-f]{40}.*/, '')}.`,
      'Give this user "+@read +@write +@stream +eval +evalsha +info +time +blpop +ping" on the keys "peagen:*".',
    );
  }
  if (/^OOM/.test(text)) {
    return away('is full (maxmemory).', 'Let workers drain it or raise maxmemory; waiting tasks are kept.');
  }
  if (/^MISCONF/.test(text)) return away(`cannot save to its disk: ${text}.`, 'Free disk space on the server.');
  if (/^MOVED|^ASK|^CROSSSLOT/.test(text)) {
    return refuse(
      'is a node of a cluster that does not hold this workspace.',
      'Point task_queue.url at a proxy or at the node that does.',
    );
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS_CERT/.test(code)) {
    return refuse(
      `shows a certificate that is not trusted (${text}).`,
      'Name its authority in PEAGEN_REDIS_CA or NODE_EXTRA_CA_CERTS.',
    );
  }
  if (code === 'EPROTO' || /^ERR_SSL/.test(code) || /wrong version number|before secure TLS/i.test(text)) {
    return refuse(`does not speak TLS (${text}).`, 'Use redis:// in task_queue.url, or give the server a TLS port.');
  }
  if (code === 'ENOTFOUND') return away(`cannot be found: ${text}.`, 'Check the host name in task_queue.url.');
  if (caught instanceof Error && caught.name === 'ReplyError') {
    return away(`answers with an error: ${text}.`, 'See whether something else writes to the keys of task_queue.workspace.');
  }
  return away(`does not answer: ${text}.`, 'Start it, or check task_queue.url; queued work is kept and goes on when it is back.');
}
