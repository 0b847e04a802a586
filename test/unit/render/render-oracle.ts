/** Python's Jinja2 with nothing of ours around it: what the engines are compared with. */
import { execFile } from 'node:child_process';
import { pluralRules, singularRules } from '../../../daemon/render/jinja/words.ts';

const script = `
import json, re, sys
from jinja2 import DictLoader, Environment
request = json.load(sys.stdin)
def inflection(rules):
    def inflected(word):
        for pattern, text in rules:
            if re.search(pattern, word):
                return re.sub(pattern, text.replace("$", "\\\\"), word, count=1)
    return inflected
answers = []
for template in request["templates"]:
    environment = Environment(loader=DictLoader(request["sources"]), autoescape=False)
    environment.filters["split"] = lambda text, by=None: text.split(by) if by else text.split()
    environment.filters["make_plural"] = inflection(request["plural"])
    environment.filters["make_singular"] = inflection(request["singular"])
    try:
        answers.append(environment.from_string(template).render(**json.loads(request["context"])))
    except Exception:
        answers.append(None)
print(json.dumps(answers))
`;

/** A text or, for a template that fails, null each; undefined where there is no Python with Jinja2. */
export function jinjaOracle(
  sources: Readonly<Record<string, string>>,
  templates: readonly string[],
  context: string,
): Promise<(string | null)[] | undefined> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    const python = execFile('/usr/bin/python3', ['-I', '-c', script], options, (error, stdout) => {
      resolve(error === null ? (JSON.parse(stdout) as (string | null)[]) : undefined);
    });
    const rules = { plural: pluralRules, singular: singularRules };
    python.stdin?.on('error', () => undefined);
    python.stdin?.end(JSON.stringify({ sources, templates, context, ...rules }));
  });
}
