/** The graphs, with echarts; loaded after the page shows. Only what is used of it is in the bundle. */
import { LineChart, type LineSeriesOption, ScatterChart, type ScatterSeriesOption } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { type Point, thinEvenly, thinSteps } from '../../../../shared/dashboard/thin.ts';
import type { HistoryPoint } from '../../../../shared/history.ts';
import type { Ancestor } from '../../../../shared/protocol/watch.ts';
import { fill } from '../../../../shared/words/fill.ts';
import { language, texts } from './texts.ts';
import type { Theme } from './theme.ts';

use([LineChart, ScatterChart, GridComponent, TooltipComponent, CanvasRenderer]);

/** Points a line has at most, about one for every two pixels: more cannot be told apart, and take longer to draw. */
const MAX_POINTS = 250;

type Series = LineSeriesOption | ScatterSeriesOption;

/** What stays as it is from one drawing to the next. */
interface Axes {
  readonly x: string;
  readonly y: string;
  /** Whole numbers along x. */
  readonly whole: boolean;
  /** A second scale, at the right. */
  readonly right: boolean;
}

/** What a run is about, by its name; `sign` turns a fitness into its value. */
interface Measure {
  readonly name: string;
  readonly sign: 1 | -1;
}

const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 6 });

export class Graph {
  private readonly chart: ECharts;
  private readonly element: HTMLElement;
  private drawn: { theme: Theme; axes: string } | undefined;

  constructor(element: HTMLElement) {
    this.element = element;
    element.setAttribute('role', 'img');
    this.chart = init(element, null, { renderer: 'canvas' });
    new ResizeObserver(() => this.chart.resize()).observe(element);
  }

  /** In words, for screen readers, and for the tests, which cannot read a canvas. */
  private say(label: string, shown: string): void {
    this.element.setAttribute('aria-label', label);
    this.element.dataset['shown'] = shown;
  }

  showScore(points: readonly HistoryPoint[], over: 'generations' | 'time', { name, sign }: Measure, theme: Theme): void {
    const x = (point: HistoryPoint) => (over === 'time' ? point.ms / 1000 : point.generation);
    const course = points.flatMap((point): Point[] => (point.best === null ? [] : [[x(point), sign * point.best]]));
    // As long as no generation is done, all of it is at one place: it is drawn as far as the one under way will reach.
    const [first, last] = [course[0], course.at(-1)];
    const isUpright = over === 'generations' && first !== undefined && last !== undefined && first[0] === last[0];
    const all: Point[] = isUpright ? [...course, [last[0] + 1, last[1]]] : course;
    const axes = { x: over === 'time' ? texts.seconds : texts.generation, y: '', whole: over !== 'time', right: false };
    this.draw(theme, axes, [line(name, thinSteps(all, MAX_POINTS), theme.accent, { step: 'end', areaStyle: { opacity: 0.15 } })]);
    this.say(fill(texts.named, name, number.format(all.at(-1)?.[1] ?? 0)), `${over} ${all.length}`);
  }

  showRate(samples: readonly { at: number; rate: number; pending: number }[], theme: Theme): void {
    const end = samples.at(-1)?.at ?? 0;
    const series = (
      name: string,
      color: string,
      right: boolean,
      value: (sample: { rate: number; pending: number }) => number,
    ) => {
      const points = samples.map((sample): Point => [(sample.at - end) / 1000, value(sample)]);
      return line(name, thinEvenly(points, MAX_POINTS), color, { yAxisIndex: right ? 1 : 0 });
    };
    this.draw(theme, { x: texts.seconds, y: '', whole: false, right: true }, [
      series(texts.tokensASecond, theme.second, false, ({ rate }) => rate),
      series(texts.tasksWaiting, theme.third, true, ({ pending }) => pending),
    ]);
    this.say(texts.fabric, `rate ${samples.length}`);
  }

  /** Each ancestor at its generation and score, joined to its first parent by a line, to others by a dashed one. */
  showLineage(ancestors: readonly Ancestor[], { name, sign }: Measure, theme: Theme): void {
    const bySha = new Map(ancestors.map((ancestor) => [ancestor.sha256, ancestor]));
    const at = ({ generation, fitness }: Ancestor): Point => [generation, sign * (fitness ?? 0)];
    const edges = ancestors.flatMap((ancestor) =>
      ancestor.parents.flatMap((sha256, i) => {
        const parent = bySha.get(sha256);
        const style = { lineStyle: { type: i === 0 ? ('solid' as const) : ('dashed' as const) }, silent: true };
        return parent === undefined ? [] : [line('', [at(parent), at(ancestor)], i === 0 ? theme.accent : theme.quiet, style)];
      }),
    );
    this.draw(theme, { x: texts.generation, y: name, whole: true, right: false }, [
      ...edges,
      { type: 'scatter', name: texts.ancestor, data: ancestors.map(at), symbolSize: 7, itemStyle: { color: theme.accent } },
    ]);
    this.say(fill(texts.ancestors, ancestors.length), `lineage ${ancestors.length}`);
  }

  /** All of it at first and when more than the data is new; else the data alone, which takes a fraction of the time. */
  private draw(theme: Theme, axes: Axes, series: Series[]): void {
    const key = JSON.stringify([axes, series.map(({ type }) => type)]);
    if (this.drawn?.theme === theme && this.drawn.axes === key) {
      this.chart.setOption({ series: series.map(({ data, ...rest }) => ({ data, showSymbol: symbolOf(rest) })) });
      return;
    }
    this.drawn = { theme, axes: key };
    const axis = (name: string) => ({
      type: 'value' as const,
      name,
      nameTextStyle: { color: theme.quiet },
      scale: true,
      axisLine: { lineStyle: { color: theme.quiet } },
      axisLabel: { color: theme.quiet, hideOverlap: true, formatter: (value: number) => number.format(value) },
      splitLine: { lineStyle: { color: theme.line, opacity: theme.highContrast ? 1 : 0.5 } },
    });
    const right = { ...axis(''), position: 'right' as const, minInterval: 1, splitLine: { show: false } };
    this.chart.setOption(
      {
        // Nothing moves: what is new is there.
        animation: false,
        textStyle: { fontFamily: theme.font, color: theme.fg },
        grid: {
          left: 8,
          right: axes.right ? 8 : 24,
          top: axes.y === '' ? 12 : 28,
          bottom: 24,
          outerBoundsMode: 'same',
          outerBoundsContain: 'axisLabel',
        },
        tooltip: {
          trigger: 'axis',
          // Drawn on the canvas: the page's policy allows no styles in markup.
          renderMode: 'richText',
          backgroundColor: theme.box,
          borderColor: theme.line,
          textStyle: { color: theme.fg },
        },
        xAxis: { ...axis(axes.x), nameLocation: 'middle', nameGap: 22, ...(axes.whole ? { minInterval: 1 } : {}) },
        yAxis: axes.right ? [axis(axes.y), right] : axis(axes.y),
        series,
      },
      { replaceMerge: ['series', 'yAxis'] },
    );
  }
}

function symbolOf(series: Omit<Series, 'data'>): boolean {
  return 'showSymbol' in series && series.showSymbol === true;
}

function line(name: string, data: Point[], color: string, more: Partial<LineSeriesOption>): LineSeriesOption {
  const { lineStyle, ...rest } = more;
  return {
    type: 'line',
    name,
    data,
    showSymbol: data.length === 1,
    itemStyle: { color },
    ...rest,
    lineStyle: { width: 2, color, ...lineStyle },
  };
}
