/** The page's texts and lists: tiles, alerts, the lineage. Text from a run is set as text, never as markup. */
import type { MapCell, Projection } from '../../../../shared/dashboard/projection.ts';
import type { AncestorView, EliteView, RunView } from '../../../../shared/dashboard/views.ts';
import type { FabricState } from '../../../../shared/protocol/watch.ts';
import { fill } from '../../../../shared/words/fill.ts';
import { lazily } from './lazily.ts';
import { language, texts } from './texts.ts';

const whole = lazily(() => new Intl.NumberFormat(language, { maximumFractionDigits: 0 }));
const exact = lazily(() => new Intl.NumberFormat(language, { maximumSignificantDigits: 4 }));
const tenths = lazily(() => new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));

export function eliteText({ worth, original }: EliteView): string {
  return original ? texts.original : worth;
}

/** `speed 10–15 ms · size 0–40 ch`, then the elite and how many share the cell. */
export function cellText({ x, y, best, count }: MapCell, projection: Projection): string {
  const name = best.pinned ? fill(texts.pinned, eliteText(best)) : eliteText(best);
  const how = best.original ? [] : [fill(texts.how, best.generation, best.mutator, best.summary)];
  const others = count === 1 ? [] : [fill(texts.bestOf, count)];
  return [`${projection.x.label(x)} · ${projection.y.label(y)}`, name, ...how, ...others].join('\n');
}

/** What the tile, the graph and the colours of a run show. */
export function scoreName({ goal }: Pick<RunView, 'goal'>): string {
  return goal === null ? texts.bestScore : fill(texts.bestOfGoal, goal.name);
}

function bestText({ goal, best }: RunView): string {
  if (goal !== null) return goal.best ?? '–';
  return best === null ? '–' : exact().format(best);
}

export function showTiles(list: HTMLElement, view: RunView): void {
  const number = (value: number) => whole().format(value);
  const candidates = number(view.candidates);
  const share = Math.round((100 * view.correct) / view.evaluated);
  setTerms(list, [
    // The search's own figure is another than the one that is measured with care at the end.
    view.result === null ? [scoreName(view), bestText(view)] : [texts.result, view.result],
    [texts.generation, fill(texts.of, number(view.generation), number(view.generations))],
    [texts.candidates, view.evaluated === 0 ? candidates : fill(texts.correct, candidates, share)],
    [texts.niches, number(view.coverage)],
    [texts.tokens, view.budget === null ? number(view.tokens) : fill(texts.of, number(view.tokens), number(view.budget))],
  ]);
  const meter = list.querySelector('meter') ?? document.createElement('meter');
  if (view.budget === null) {
    meter.remove();
    return;
  }
  meter.max = view.budget;
  meter.high = 0.9 * view.budget;
  meter.value = view.tokens;
  meter.setAttribute('aria-label', texts.spent);
  list.lastElementChild?.append(meter);
}

const waitingTo: Readonly<Record<string, string>> = {
  render: texts.waitingToRender,
  mutate: texts.waitingToMutate,
  execute: texts.waitingToExecute,
  evaluate: texts.waitingToEvaluate,
};

export function showFabric(list: HTMLElement, { tokens_per_second: rate, pending, workers }: FabricState): void {
  const kinds = Object.entries(pending).sort(([a], [b]) => a.localeCompare(b));
  setTerms(list, [
    [texts.tokensASecond, (rate < 10 ? tenths : whole)().format(rate)],
    [texts.workers, fill(texts.workersText, workers.live, workers.idle)],
    ...kinds.map(([kind, count]): [string, string] => [waitingTo[kind] ?? fill(texts.waitingTo, kind), whole().format(count)]),
  ]);
}

/** Changes only what differs: a list that is built again loses what a screen reader is at. */
function setTerms(list: HTMLElement, terms: readonly (readonly [string, string])[]): void {
  for (const [i, [term, value]] of terms.entries()) {
    let entry = list.children[i];
    if (entry === undefined) {
      entry = document.createElement('div');
      entry.append(document.createElement('dt'), document.createElement('dd'));
      list.append(entry);
    }
    for (const [j, text] of [term, value].entries()) {
      const part = entry.children[j];
      if (part !== undefined && part.textContent !== text) part.textContent = text;
    }
  }
  while (list.children.length > terms.length) list.lastElementChild?.remove();
}

export function showAlerts(list: HTMLElement, alerts: FabricState['alerts']): void {
  const key = JSON.stringify(alerts);
  if (list.dataset['shown'] === key) return;
  list.dataset['shown'] = key;
  list.replaceChildren(
    ...alerts.map(({ severity, summary, fix, since }) => {
      const item = document.createElement('li');
      item.className = severity;
      item.textContent = fill(texts.alert, summary, new Date(since).toLocaleTimeString(language), fix);
      return item;
    }),
  );
}

/** From the elite back to the original along first parents; what else it descends from stands next to. */
export function showLineage(
  list: HTMLElement,
  ancestors: readonly AncestorView[],
  review: (ancestor: AncestorView) => void,
): void {
  const bySha = new Map(ancestors.map((ancestor) => [ancestor.sha256, ancestor]));
  const items: HTMLElement[] = [];
  const seen = new Set<string>();
  for (let at = ancestors[0]; at !== undefined && !seen.has(at.sha256); at = bySha.get(at.parents[0] ?? at.sha256)) {
    seen.add(at.sha256);
    items.push(lineageItem(at, bySha, review));
  }
  list.replaceChildren(...items);
}

function lineageItem(
  ancestor: AncestorView,
  bySha: ReadonlyMap<string, AncestorView>,
  review: (ancestor: AncestorView) => void,
): HTMLElement {
  const item = document.createElement('li');
  const original = ancestor.parents.length === 0;
  const name = document.createElement(original ? 'span' : 'button');
  name.textContent = original ? texts.original : (ancestor.worth ?? texts.notCorrect);
  if (name instanceof HTMLButtonElement) {
    name.type = 'button';
    name.className = 'link';
    name.addEventListener('click', () => review(ancestor));
  }
  item.append(name);
  if (original) return item;
  const others = ancestor.parents.slice(1).flatMap((sha256) => bySha.get(sha256) ?? []);
  const also = others.map(({ worth }) => ` × ${worth ?? texts.notCorrect}`);
  const how = document.createElement('span');
  how.className = 'also';
  const { generation, mutator, summary } = ancestor;
  how.textContent = ` ${fill(texts.how, generation, mutator, summary)}${also.join('')}`;
  item.append(how);
  return item;
}
