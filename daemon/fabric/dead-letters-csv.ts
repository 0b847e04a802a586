/** Dead letters as CSV (RFC 4180) for a spreadsheet. Their texts may be hostile: no cell is a formula. */
import type { DeadLetter } from './queue.ts';

const columns = ['id', 'died_at', 'lane', 'attempts', 'code', 'reason', 'created_at', 'payload', 'raw'] as const;

export function lettersToCsv(letters: readonly DeadLetter[]): string {
  const rows = letters.map(({ id, died_at, lane, attempts, code, reason, task, raw }) =>
    [
      id,
      died_at,
      lane,
      attempts,
      code,
      reason,
      task?.created_at ?? '',
      task === undefined ? '' : JSON.stringify(task.payload),
      raw ?? '',
    ]
      .map((value) => cell(String(value)))
      .join(','),
  );
  return [columns.join(','), ...rows, ''].join('\r\n');
}

function cell(text: string): string {
  // Spreadsheets take these for the start of a formula; an apostrophe makes them text.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
