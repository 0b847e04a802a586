/**
 * What is counted of questions to language models. A process that is scraped adds it to its metrics; a one-shot worker keeps
 * it for the process that launched it, since loading prom-client would cost it half as much as Node's own start.
 */

/** A counter's increase (`sum`), or a number of observations (`count`) of a histogram, which make that sum. */
export interface Count {
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sum: number;
  readonly count?: number | undefined;
}

/** More are not kept: nobody may ever ask for them. */
const MOST_KEPT = 1000;

const kept: Count[] = [];
let hear = (count: Count): void => {
  if (kept.length < MOST_KEPT) kept.push(count);
};

export function counted(name: string, labels: Count['labels'], sum: number): void {
  hear({ name, labels, sum });
}

export function observed(name: string, labels: Count['labels'], value: number): void {
  hear({ name, labels, sum: value, count: 1 });
}

/** What was kept until now; nothing in a process that has metrics. */
export function takeCounts(): Count[] {
  return kept.splice(0);
}

/** From now on `listener` is called with everything, and at once with what was kept. */
export function followCounts(listener: (count: Count) => void): void {
  hear = listener;
  for (const count of takeCounts()) listener(count);
}
