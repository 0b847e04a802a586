/**
 * render_site: 200 templates over a table of 5 MB, by the embedded engine and by Python's Jinja2 in the same run.
 * `node test/bench/render.ts`; prints one JSON object. Both get the same texts and values, and load before the clock runs.
 */
import { spawnSync } from 'node:child_process';
import { renderEmbedded } from '../../daemon/render/jinja/embedded.ts';

const PAGES = 200;
const TABLE_BYTES = 5 * 1024 * 1024;

const rows: { id: number; name: string; city: string; price: number; active: boolean }[] = [];
for (let size = 0, id = 0; size < TABLE_BYTES; id++) {
  const row = { id, name: `customer ${id % 977}`, city: `city-${id % 53}`, price: id * 0.25 + 0.1, active: id % 3 === 0 };
  rows.push(row);
  size += Object.values(row).join(',').length + 1;
}
const share = Math.ceil(rows.length / PAGES);

/** Each page differs in its text, and shows its share of the table. */
const sources: Record<string, string> = { 'row.html': '<td>{{ row.name|title }}</td><td>{{ row.price }}</td>' };
const jobs = Array.from({ length: PAGES }, (_, page) => {
  sources[`page${page}`] = `<h1>Page ${page}: {{ PROJ.NAME|upper }}</h1>
{% for row in rows if row.active or row.id is odd %}<tr class="{{ loop.cycle('a', 'b') }}">{% include 'row.html' %}<td>{{ row.city }} {{ row.active }}</td></tr>
{% endfor %}{{ rows|map(attribute='price')|sum|round(2) }}
`;
  const context = JSON.stringify({ PROJ: { NAME: 'site' }, rows: rows.slice(page * share, (page + 1) * share) });
  return { template: `page${page}`, context };
});

const python = `
import json, resource, sys, time
from jinja2 import DictLoader, Environment
request = json.load(sys.stdin)
began = time.perf_counter()
environment = Environment(loader=DictLoader(request["sources"]), autoescape=False)
texts = [environment.get_template(job["template"]).render(**json.loads(job["context"])) for job in request["jobs"]]
took = (time.perf_counter() - began) * 1000
print(json.dumps({"ms": took, "texts": texts, "kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
`;

renderEmbedded({ sources: { first: '{{ 1 }}' }, shared: '{}', jobs: [{ template: 'first', context: '{}' }] }, () => true);
const texts: string[] = [];
const began = performance.now();
renderEmbedded(
  { sources, shared: '{}', jobs },
  (outcome) => texts.push(outcome.kind === 'text' ? outcome.text : outcome.message) > 0,
);
const embeddedMs = performance.now() - began;
const embeddedMb = process.resourceUsage().maxRSS / 1024;

const ended = spawnSync('/usr/bin/python3', ['-I', '-c', python], {
  input: JSON.stringify({ sources, jobs }),
  maxBuffer: 256 * 1024 * 1024,
  encoding: 'utf8',
});
if (ended.status !== 0) throw new Error(ended.stderr);
const answer = JSON.parse(ended.stdout) as { ms: number; kb: number; texts: string[] };
process.stdout.write(
  `${JSON.stringify({
    rows: rows.length,
    embedded_ms: Math.round(embeddedMs),
    jinja2_ms: Math.round(answer.ms),
    faster: Number((answer.ms / embeddedMs).toFixed(2)),
    embedded_mb: Math.round(embeddedMb),
    jinja2_mb: Math.round(answer.kb / 1024),
    same_bytes: texts.length === PAGES && texts.every((text, page) => text === answer.texts[page]),
  })}\n`,
);
