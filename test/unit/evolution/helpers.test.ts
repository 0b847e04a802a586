/** Which functions change along with the entry: those that work for it alone, in their file and in the folder. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { spanText } from '../../../shared/program.ts';

const plan = `"""Plans."""

# finish is where the time goes
def plan(tasks):
    return [finish(task) for task in tasks]

def finish(task):
    return clock(task["end"])

def clock(minute):
    return f"{minute // 60}:{minute % 60}"
`;

const script = `export function plan(tasks) {
  return tasks.map(finish);
}
const finish = (task) => clock(task.end);
function clock(minute) {
  return minute / 60;
}
`;

describe('functions that change along with the entry', () => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'peagen-helpers-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const helpers = async (path: string, text: string, fn = 'plan', others: Readonly<Record<string, string>> = {}) => {
    for (const [name, content] of Object.entries({ ...others, [path]: text })) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    return (await loadTarget({ root, path, entry_fn: fn })).helpers;
  };

  it('are those that only it uses, directly and through each other', async () => {
    assert.deepEqual(await helpers('plan.py', plan), ['finish', 'clock']);
    assert.deepEqual(await helpers('plan.ts', script), ['finish', 'clock']);
    assert.deepEqual(await helpers('plan.py', plan, 'finish'), ['clock']);
    assert.deepEqual(await helpers('plan.py', plan, 'clock'), []);
    const { program } = await loadTarget({ root, path: 'plan.py', entry_fn: 'plan' });
    assert.deepEqual(
      program.spans.map((span) => spanText(program, span).split('\n')[0]),
      ['def plan(tasks):', 'def finish(task):', 'def clock(minute):'],
    );
  });

  it('may call each other in a circle', async () => {
    const circle =
      'def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n > 0 and even(n - 1)\n\ndef f(n):\n    return even(n)\n';
    assert.deepEqual(await helpers('a.py', circle, 'f'), ['even', 'odd']);
    assert.deepEqual(await helpers('a.py', `${circle}\nprint(odd(3))\n`, 'f'), []);
  });

  it('are not used elsewhere in the file', async () => {
    const both = `${plan}\ndef other():\n    return clock(3)\n`;
    assert.deepEqual(await helpers('plan.py', both), ['finish']);
    assert.deepEqual(await helpers('plan.py', `${plan}\n__all__ = ["plan", "clock"]\n`), ['finish']);
    assert.deepEqual(await helpers('plan.mjs', script.replace('function clock', 'export function clock')), ['finish']);
    assert.deepEqual(await helpers('plan.mjs', `${script}export { finish };\n`), []);
    assert.deepEqual(await helpers('plan.cjs', `${script.replace('export ', '')}module.exports = { plan, finish };\n`), []);
    assert.deepEqual(await helpers('plan.py', plan.replace('def clock', '@app.route("/clock")\ndef clock')), ['finish']);
    assert.deepEqual(await helpers('plan.py', `${plan}\ndef finish(task):\n    return 1\n`), []);
  });

  it('are none in a script whose functions every other script sees', async () => {
    assert.deepEqual(await helpers('plan.js', script.replace('export ', '')), []);
  });

  it('are not used by another file of the folder, in Python', async () => {
    const none = { 'src/other.py': 'import json\n\ndef finish():\n    return clock\n' };
    assert.deepEqual(await helpers('src/plan.py', plan, 'plan', none), ['finish', 'clock']);
    const one = { 'tests/test_plan.py': 'from src.plan import clock\n' };
    assert.deepEqual(await helpers('src/plan.py', plan, 'plan', one), ['finish']);
    const first = { 'tests/test_plan.py': 'from src import plan\nplan.finish({})\n' };
    assert.deepEqual(await helpers('src/plan.py', plan, 'plan', first), []);
    const all = { 'tests/test_plan.py': 'from src.plan import *\n' };
    assert.deepEqual(await helpers('src/plan.py', plan, 'plan', all), []);
  });

  it('are private methods of its class, and no others', async () => {
    const box =
      'class Box:\n    def total(self):\n        return self._tax(self.sum())\n\n    def _tax(self, x):\n        return x\n\n    def sum(self):\n        return 1\n';
    assert.deepEqual(await helpers('box.py', box, 'Box.total'), ['Box._tax']);
    const heir = { 'heir.py': 'class Heir(Base):\n    def _tax(self, x):\n        return 2\n' };
    assert.deepEqual(await helpers('box.py', box, 'Box.total', heir), []);
    const typed =
      'export class Box {\n  total() { return this.tax(this.#rate()); }\n  private tax(x: number) { return x; }\n  #rate() { return 1; }\n}\n';
    assert.deepEqual(await helpers('box.ts', typed, 'Box.total'), ['Box.tax', 'Box.#rate']);
  });

  it('are none where a user says what may change', async () => {
    await writeFile(join(root, 'plan.py'), plan);
    const load = (functions: string[]) => loadTarget({ root, path: 'plan.py', entry_fn: 'plan', functions });
    assert.equal((await load([])).program.spans.length, 1);
    assert.equal((await load(['clock'])).program.spans.length, 2);
    const marked = plan
      .replace('    return [', '    # EVOLVE-BLOCK-START\n    return [')
      .replace('tasks]', 'tasks]\n    # EVOLVE-BLOCK-END');
    assert.deepEqual(await helpers('plan.py', marked), []);
  });
});
