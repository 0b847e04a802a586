/** The words of the dashboard's page, in the language of its host. Braces hold what the page fills in. */
export const textKeys = [
  'run',
  'pause',
  'continue',
  'resume',
  'stop',
  'alerts',
  'alert',
  'empty',
  'bestScore',
  'bestScoreOver',
  'generations',
  'time',
  'archive',
  'across',
  'up',
  'heatMap',
  'mapHelp',
  'mapLabel',
  'lineage',
  'noLineage',
  'fabric',
  'generation',
  'candidates',
  'niches',
  'tokens',
  'of',
  'correct',
  'spent',
  'tokensASecond',
  'workers',
  'workersText',
  'waitingTo',
  'tasksWaiting',
  'seconds',
  'score',
  'ancestor',
  'original',
  'notCorrect',
  'pinned',
  'bestOf',
  'how',
  'crossWith',
  'crossing',
] as const;

export type PageTexts = Readonly<Record<(typeof textKeys)[number], string>>;

/** `{0}` and its likes replaced by the values. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (brace, at) => String(values[Number(at)] ?? brace));
}
