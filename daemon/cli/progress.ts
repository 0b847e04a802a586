/** Live progress of a run on standard error: one changing line on a terminal, a line per generation elsewhere. */
import { confirmingText, gainOf, plainGain } from '../../shared/gain.ts';
import type { RunEvent, RunInfo } from '../../shared/run.ts';
import { secondsLeft } from '../../shared/words/time-left.ts';
import { countOf, durationText } from './words.ts';

const BAR = 20;
/** Milliseconds between two looks at the clock while a best is measured. */
const TICK_MS = 500;

export interface Progress {
  /** The run after the event. */
  show(event: RunEvent, info: RunInfo): void;
  /** Removes what is shown; the next event shows it again. */
  clear(): void;
  end(): void;
}

export class ProgressLine implements Progress {
  private readonly terminal = process.stderr.isTTY === true;
  private shown = 0;
  private ticking: NodeJS.Timeout | undefined;

  /** `read` gives the run's state after each event. */
  show(event: RunEvent, info: RunInfo): void {
    clearInterval(this.ticking);
    if (info.confirming !== undefined) {
      this.confirm(event, info.confirming);
      return;
    }
    if (this.terminal) {
      if (Date.now() - this.shown < 80 && event.type !== 'generation') return;
      this.shown = Date.now();
      process.stderr.write(`\r\x1b[2K${progressLine(info, process.stderr.columns || 100)}`);
    } else if (event.type === 'generation') {
      process.stderr.write(`${progressLine(info, 200)}\n`);
    }
  }

  /** The seconds go on where nothing else happens. */
  private confirm({ type }: RunEvent, confirming: NonNullable<RunInfo['confirming']>): void {
    const line = (): string => confirmingText(confirming, Date.now());
    if (!this.terminal) {
      if (type === 'confirming') process.stderr.write(`${line()}\n`);
      return;
    }
    const write = (): void => void process.stderr.write(`\r\x1b[2K${line()}`);
    write();
    this.ticking = setInterval(write, TICK_MS);
  }

  end(): void {
    this.clear();
  }

  clear(): void {
    clearInterval(this.ticking);
    if (this.terminal) process.stderr.write('\r\x1b[2K');
  }
}

/** Shows on a terminal what a command waits for, and for how long, until the work is done. */
export async function whileWaiting<T>(what: string, work: Promise<T>): Promise<T> {
  if (process.stderr.isTTY !== true) return await work;
  const began = Date.now();
  const ticking = setInterval(() => {
    process.stderr.write(`\r\x1b[2K${what}: ${Math.floor((Date.now() - began) / 1000)} s`);
  }, TICK_MS);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
    if (Date.now() - began >= TICK_MS) process.stderr.write('\r\x1b[2K');
  }
}

export function progressLine(info: RunInfo, width: number, now = Date.now()): string {
  const share = Math.min(1, info.generation / info.max_generations);
  const filled = Math.round(share * BAR);
  const parts = [
    `generation ${info.generation}/${info.max_generations} ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`,
    gainText(info),
    ...leftText(info, now),
    `${info.evaluated} evaluated`,
    `${info.correct} correct`,
    countOf(info.stats.coverage, 'niche'),
  ];
  // What does not fit is left out, rather than cut.
  while (parts.length > 1 && parts.join('  ').length >= width) parts.pop();
  return parts.join('  ').slice(0, width - 1);
}

/** The editor's status bar says the same. */
function leftText(info: RunInfo, now: number): string[] {
  const left = secondsLeft(info, now);
  if (left === undefined || info.state !== 'running') return [];
  return [`${durationText(left)} left`];
}

function gainText(info: RunInfo): string {
  const gain = gainOf(info);
  switch (gain.kind) {
    case 'unknown':
      // What it is to be compared with is being judged: a candidate that fixes the original, or the edited file.
      return info.correct > 0 ? 'being judged again' : 'nothing correct yet';
    case 'none':
      return 'no improvement yet';
    case 'fixed':
      return 'fixed';
    case 'faster':
    case 'score':
      return `best ${plainGain(info)}`;
  }
}
