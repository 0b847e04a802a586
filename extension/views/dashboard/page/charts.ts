/** The graphs, with echarts; loaded after the page shows. Only what is used of it is in the bundle. */
import { LineChart, type LineSeriesOption, ScatterChart, type ScatterSeriesOption } from 'echarts/charts';
import { AriaComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { HistoryPoint } from '../../../../shared/history.ts';
import type { Ancestor } from '../../../../shared/protocol/watch.ts';
import { texts } from './texts.ts';
import { movesFreely, type Theme } from './theme.ts';

use([LineChart, ScatterChart, GridComponent, TooltipComponent, AriaComponent, CanvasRenderer]);

/** Points a line has at most: more than a chart has pixels shows nothing more. */
const MAX_POINTS = 1000;

export class Graph {
  readonly #chart: ECharts;
  readonly #element: HTMLElement;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#chart = init(element, null, { renderer: 'canvas' });
    new ResizeObserver(() => this.#chart.resize()).observe(element);
  }

  /** For the tests, which can not read a canvas. */
  #say(text: string): void {
    this.#element.dataset['shown'] = text;
  }

  showScore(points: readonly HistoryPoint[], over: 'generations' | 'time', theme: Theme): void {
    const x = (point: HistoryPoint) => (over === 'time' ? point.ms / 1000 : point.generation);
    const data = thin(points.flatMap((point) => (point.best === null ? [] : [[x(point), point.best]])));
    this.#draw(theme, over === 'time' ? texts.seconds : texts.generation, texts.bestScore, [
      line(texts.bestScore, data, theme.accent, { step: 'end', areaStyle: { opacity: 0.15 } }),
    ]);
    this.#say(`${over} ${data.length}`);
  }

  showRate(samples: readonly { at: number; rate: number; pending: number }[], theme: Theme): void {
    const end = samples.at(-1)?.at ?? 0;
    const series = (name: string, color: string, value: (sample: { rate: number; pending: number }) => number) =>
      line(name, thin(samples.map((sample) => [(sample.at - end) / 1000, value(sample)])), color, {});
    this.#draw(theme, texts.seconds, '', [
      series(texts.tokensASecond, theme.second, ({ rate }) => rate),
      series(texts.tasksWaiting, theme.third, ({ pending }) => pending),
    ]);
    this.#say(`rate ${samples.length}`);
  }

  /** Each ancestor at its generation and score, joined to its first parent by a line, to others by a dashed one. */
  showLineage(ancestors: readonly Ancestor[], theme: Theme): void {
    const bySha = new Map(ancestors.map((ancestor) => [ancestor.sha256, ancestor]));
    const at = ({ generation, fitness }: Ancestor) => [generation, fitness ?? 0];
    const edges = ancestors.flatMap((ancestor) =>
      ancestor.parents.flatMap((sha256, i) => {
        const parent = bySha.get(sha256);
        const style = { lineStyle: { type: i === 0 ? ('solid' as const) : ('dashed' as const) }, silent: true };
        return parent === undefined ? [] : [line('', [at(parent), at(ancestor)], i === 0 ? theme.accent : theme.quiet, style)];
      }),
    );
    this.#draw(theme, texts.generation, texts.bestScore, [
      ...edges,
      { type: 'scatter', name: texts.ancestor, data: ancestors.map(at), symbolSize: 7, itemStyle: { color: theme.accent } },
    ]);
    this.#say(`lineage ${ancestors.length}`);
  }

  #draw(theme: Theme, xName: string, yName: string, series: (LineSeriesOption | ScatterSeriesOption)[]): void {
    const axis = (name: string) => ({
      type: 'value' as const,
      name,
      nameTextStyle: { color: theme.quiet },
      scale: true,
      axisLine: { lineStyle: { color: theme.quiet } },
      axisLabel: { color: theme.quiet, hideOverlap: true },
      splitLine: { lineStyle: { color: theme.line, opacity: theme.highContrast ? 1 : 0.5 } },
    });
    this.#chart.setOption(
      {
        animation: movesFreely(),
        animationDuration: 200,
        animationDurationUpdate: 0,
        aria: { enabled: true },
        textStyle: { fontFamily: theme.font, color: theme.fg },
        grid: { left: 8, right: 24, top: 28, bottom: 24, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
        tooltip: {
          trigger: 'axis',
          // Drawn on the canvas: the page's policy allows no styles in markup.
          renderMode: 'richText',
          backgroundColor: theme.box,
          borderColor: theme.line,
          textStyle: { color: theme.fg },
        },
        xAxis: { ...axis(xName), nameLocation: 'middle', nameGap: 22 },
        yAxis: axis(yName),
        series,
      },
      { replaceMerge: ['series'] },
    );
  }
}

function line(name: string, data: number[][], color: string, more: Partial<LineSeriesOption>): LineSeriesOption {
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

/** The first, the last, and evenly spread ones between. */
function thin(points: number[][]): number[][] {
  if (points.length <= MAX_POINTS) return points;
  const step = (points.length - 1) / (MAX_POINTS - 1);
  return Array.from({ length: MAX_POINTS }, (_, i) => points[Math.round(i * step)] ?? []);
}
