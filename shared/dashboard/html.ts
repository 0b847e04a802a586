/**
 * The dashboard's page: its skeleton, so that it shows before its script has run, with script and style in it: each file
 * that a webview asks for goes through the editor first. Nothing in it comes from a run.
 */

import type { PageTexts } from './texts.ts';

interface PageParts {
  /** Policy of the page; the one place that says what it may load. */
  readonly csp: string;
  readonly nonce: string;
  /** Texts of the page's own files. */
  readonly script: string;
  readonly style: string;
  /** Address of the graphs' script, which the page loads when it has shown itself. */
  readonly graphs: string;
  /** The language of the words in `texts`, such as `de`. */
  readonly language: string;
  readonly texts: PageTexts;
}

/** Only our own files; nothing inline, nothing from elsewhere, no requests. */
export function policy({ nonce, source }: { nonce: string; source: string }): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${source}`,
    `style-src 'nonce-${nonce}' ${source}`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}

export function dashboardHtml({ csp, nonce, script, style, graphs, language, texts }: PageParts): string {
  const t = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, escaped(text)])) as PageTexts;
  return `<!DOCTYPE html>
<html lang="${escaped(language)}" data-graphs="${escaped(graphs)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Peagen</title>
<style nonce="${nonce}">${style}</style>
<script type="application/json" id="texts">${JSON.stringify(texts).replaceAll('<', '\\u003c')}</script>
</head>
<body>
<header>
  <h1 id="name">Peagen</h1>
  <label id="run-choice" hidden>${t.run} <select id="runs"></select></label>
  <span id="status"></span>
  <span id="controls">
    <button id="pause" type="button" hidden>${t.pause}</button>
    <button id="continue" type="button" hidden>${t.continue}</button>
    <button id="resume" type="button" hidden>${t.resume}</button>
    <button id="stop" type="button" class="secondary" hidden>${t.stop}</button>
  </span>
</header>
<ul id="alerts" aria-label="${t.alerts}" aria-live="polite"></ul>
<p id="said" role="status"></p>
<p id="empty" hidden>${t.empty}</p>
<main id="main">
  <dl id="tiles"></dl>
  <section aria-labelledby="score-title">
    <div class="bar">
      <h2 id="score-title">${t.bestScore}</h2>
      <div role="radiogroup" aria-label="${t.bestScoreOver}" class="choice">
        <label><input type="radio" name="over" value="generations" checked> ${t.generations}</label>
        <label><input type="radio" name="over" value="time"> ${t.time}</label>
      </div>
    </div>
    <div id="score" class="chart"></div>
  </section>
  <section aria-labelledby="map-title" class="wide">
    <div class="bar">
      <h2 id="map-title">${t.archive}</h2>
      <div class="choice">
        <label>${t.across} <select id="x"></select></label>
        <label>${t.up} <select id="y"></select></label>
      </div>
    </div>
    <div id="map-frame">
      <span id="y-high"></span>
      <canvas id="map" tabindex="0" role="application" aria-roledescription="${t.heatMap}" aria-label="${t.archive}" aria-describedby="map-help map-cell"></canvas>
      <span id="y-low"></span>
      <span id="x-low"></span>
      <span id="x-high"></span>
      <div id="tip" hidden></div>
    </div>
    <p id="scale"><span id="scale-low"></span><canvas id="scale-bar" width="128" height="8" aria-hidden="true"></canvas><span id="scale-high"></span></p>
    <p id="map-cell" role="status"></p>
    <p id="map-help" class="quiet">${t.mapHelp}</p>
  </section>
  <section aria-labelledby="lineage-title">
    <h2 id="lineage-title">${t.lineage}</h2>
    <div id="lineage-chart" class="chart small" hidden></div>
    <ol id="lineage"></ol>
    <p id="lineage-none" class="quiet">${t.noLineage}</p>
  </section>
  <section aria-labelledby="fabric-title">
    <h2 id="fabric-title">${t.fabric}</h2>
    <dl id="fabric"></dl>
    <p class="legend" aria-hidden="true"><span class="second">${t.tokensASecond}</span><span class="third">${t.tasksWaiting}</span></p>
    <div id="rate" class="chart small"></div>
  </section>
</main>
<script type="module" nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
