/** What a call does other than returning or raising, judged in real sandboxes: lost, changed and extra effects are wrong. */
import assert from 'node:assert/strict';
import { accepts, counted, evaluator, judged, refuses, twice } from './effects-judging.ts';
import { contextOf, judgeText, prepareText, programOf } from './judging.ts';

describe('effects of a call', () => {
  describe('in Python', () => {
    const note = 'LOG = []\ndef note(x):\n    LOG.append(x)\n';

    it('are wrong when they are lost, changed or added', async () => {
      await refuses(
        'python',
        'note',
        note,
        'LOG = []\ndef note(x): pass\n',
        /^wrong: note\(1\) left LOG as it was; the original leaves LOG with \[1\]\.$/,
      );
      await refuses(
        'python',
        'note',
        note,
        'LOG = []\ndef note(x): LOG.extend([x, x])\n',
        /left LOG with 2 items; the original leaves LOG with 1 item\./,
      );
      await accepts('python', 'note', note, 'LOG = []\nSEEN = []\ndef note(x):\n    LOG.append(x)\n    SEEN.append(x)\n');
      await refuses(
        'python',
        'note',
        note,
        'LOG = []\ndef note(x):\n    LOG.append(x)\n    note.seen = 1\n',
        /left note\.seen with 1; the original has no note\.seen\./,
      );
      await refuses(
        'python',
        'note',
        'LOG = []\ndef note(x): return x\n',
        note.replace('append(x)', 'append(x)\n    return x'),
        /left LOG with \[1\]; the original leaves LOG as it was\./,
      );
      await accepts('python', 'note', note, 'LOG = []\ndef note(x):\n    global LOG\n    LOG += [x]\n');
    });

    it('name the call and both sides in the counterexample', async () => {
      const { outcome } = await judged('python', 'note', note, 'LOG = []\ndef note(x):\n    if x < 2: LOG.append(x)\n');
      assert.deepEqual(outcome.counterexample, {
        call: { args: [2], kwargs: {} },
        actual: 'left LOG as it was',
        expected: 'leaves LOG with [1, 2]',
      });
    });

    it('include the state of the instance, private names that only the candidate has aside', async () => {
      const bag =
        'class Bag:\n    def __init__(self, start=0):\n        self.items = [start]\n    def add(self, x):\n        self.items.append(x)\n';
      const empty = bag.replace('self.items.append(x)', 'pass');
      const both = { calls: [{ args: [1] }, { args: [2], init: { args: [7] } }] };
      await refuses('python', 'Bag.add', bag, empty, /^wrong: Bag\.add\(1\) left its object's items as it was/, both);
      await refuses('python', 'Bag.add', bag, empty, /^wrong: Bag\(7\)\.add\(2\) left its object's items as it was/, {
        calls: [both.calls[1]],
      } as typeof twice);
      await accepts('python', 'Bag.add', bag, bag.replace('self.items.append(x)', 'self.items += [x]; self._last = x'), both);
      await refuses(
        'python',
        'Bag.add',
        bag,
        bag.replace('self.items.append(x)', 'self.items.append(x); self.last = x'),
        /left its object's last with 1; the original has no its object's last|has no/,
        both,
      );
    });

    it('include class attributes, attributes of functions, mutable defaults, slots and other modules', async () => {
      const cases: [string, string, string, RegExp][] = [
        [
          'A.up',
          'class A:\n    n = 0\n    def up(self, x):\n        A.n += x\n',
          'class A:\n    n = 0\n    def up(self, x): pass\n',
          /left A\.n as it was/,
        ],
        ['f', 'def f(x):\n    f.calls = x\n', 'def f(x): pass\n', /left f\.calls as it was/],
        ['f', 'def f(x, seen=[]):\n    seen.append(x)\n', 'def f(x, seen=[]): pass\n', /left f\(seen\) as it was/],
        [
          'A.up',
          'class A:\n    __slots__ = ("n",)\n    def up(self, x):\n        self.n = x\n',
          'class A:\n    __slots__ = ("n",)\n    def up(self, x): pass\n',
          /left its object's n as it was/,
        ],
      ];
      for (const [fn, original, candidate, pattern] of cases) {
        await refuses('python', fn, original, candidate, pattern);
        await accepts('python', fn, original, `${original}\n`);
      }
      const helper = { 'helper.py': 'LOG = []\n' };
      const original = programOf('python', 'from helper import LOG\ndef f(x):\n    LOG.append(x)\n', helper);
      const options = { entry: { path: 'target.py', fn: 'f' }, ...twice };
      const { basis } = await evaluator.prepare(original, { name: 'function', options }, await contextOf(counted));
      const outcomeOf = async (text: string) =>
        (await evaluator.judge(programOf('python', text, helper), basis, await contextOf(counted))).outcome;
      assert.match((await outcomeOf('def f(x): pass\n')).detail, /left helper\.LOG as it was/);
      assert.equal((await outcomeOf('import helper\ndef f(x): helper.LOG.append(x)\n')).kind, 'correct');
    });

    it('include what is printed, by descriptor and by subprocesses too, without the places of warnings', async () => {
      const print = 'def say(x):\n    print("x", x)\n';
      await refuses(
        'python',
        'say',
        print,
        'def say(x): pass\n',
        /^wrong: say\(1\) printed nothing; the original prints "x 1\\n"\.$/,
      );
      await refuses('python', 'say', print, 'def say(x): print("y", x)\n', /printed "y 1\\n"; the original prints "x 1\\n"/);
      await accepts('python', 'say', print, 'import os\ndef say(x): os.write(1, b"x %d\\n" % x)\n');
      await accepts('python', 'say', print, 'import os\ndef say(x): os.system("echo x %d" % x)\n');
      const warns = 'import warnings\ndef say(x):\n    warnings.warn("old")\n    return x\n';
      await accepts('python', 'say', warns, `\n\n${warns}`);
      await refuses(
        'python',
        'say',
        warns,
        'def say(x): return x\n',
        /printed nothing on standard error; the original prints "UserWarning: old/,
      );
    });

    it('include files', async () => {
      const write = 'def save(x):\n    with open("out.txt", "a") as file:\n        file.write("%d;" % x)\n';
      await refuses(
        'python',
        'save',
        write,
        'def save(x): pass\n',
        /did not write or remove the file out\.txt; the original writes "1;" to the file out\.txt/,
      );
      await refuses(
        'python',
        'save',
        write,
        write.replace('%d;', '%d,'),
        /wrote "1," to the file out\.txt; the original writes "1;"/,
      );
      await accepts(
        'python',
        'save',
        write,
        'import os\ndef save(x):\n    file = os.open("out.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n    os.write(file, b"%d;" % x)\n    os.close(file)\n',
      );
      await refuses(
        'python',
        'save',
        'def save(x): return x\n',
        'import os\ndef save(x):\n    open("kept-%d" % x, "w").close()\n    return x\n',
        /wrote "" to the file kept-1; the original does not write/,
      );
    });

    it('include the random numbers that are drawn', async () => {
      const draw = 'import random\ndef pick(x):\n    random.random()\n    return x\n';
      await refuses(
        'python',
        'pick',
        draw,
        'import random\ndef pick(x): return x\n',
        /drew no random numbers; the original draws random numbers/,
      );
      await refuses(
        'python',
        'pick',
        draw,
        draw.replace('random.random()', 'random.random(); random.random()'),
        /drew other random numbers/,
      );
      await accepts(
        'python',
        'pick',
        draw,
        'from random import random as draw\nimport random\ndef pick(x):\n    draw()\n    return x\n',
      );
    });

    it('of generators and coroutines belong to the call', async () => {
      await refuses(
        'python',
        'gen',
        'LOG = []\ndef gen(x):\n    yield x\n    LOG.append(x)\n',
        'LOG = []\ndef gen(x):\n    yield x\n',
        /left LOG as it was/,
      );
      await refuses(
        'python',
        'wait',
        'LOG = []\nasync def wait(x):\n    LOG.append(x)\n',
        'LOG = []\nasync def wait(x): pass\n',
        /left LOG as it was/,
      );
      await accepts(
        'python',
        'wait',
        'LOG = []\nasync def wait(x):\n    LOG.append(x)\n',
        'LOG = []\nasync def wait(x):\n    LOG.insert(len(LOG), x)\n',
      );
    });

    it('of generators are compared with what they yielded before they raised, and with what they return', async () => {
      const raising = 'def gen(x):\n    yield x\n    yield x + 1\n    if x > 1:\n        raise ValueError("no more")\n';
      await refuses(
        'python',
        'gen',
        raising,
        'def gen(x):\n    if x > 1:\n        raise ValueError("no more")\n    yield x\n    yield x + 1\n',
        /raised ValueError; the original raised ValueError after a generator of \[2, 3\]/,
      );
      await accepts('python', 'gen', raising, raising.replace('yield x\n    yield x + 1', 'yield from (x, x + 1)'));
      await refuses('python', 'gen', 'def gen(x):\n    yield x\n    return x\n', 'def gen(x):\n    yield x\n', /that returns 1/);
    });

    it('of large values are found too, and large constants may be stored in another way', async () => {
      const table = 'TABLE = list(range(100000))\ndef put(x):\n    TABLE[5] = x\n';
      await refuses(
        'python',
        'put',
        table,
        table.replace('= x', '= x + 1'),
        /The calls up to put\(2\) left TABLE with other contents/,
      );
      await refuses('python', 'put', table, table.replace('TABLE[5] = x', 'pass'), /left TABLE as it was/);
      await accepts('python', 'put', table, table.replace('[5]', '[2 + 3]'));
      const constant = 'TABLE = list(range(100000))\ndef get(x): return TABLE[x]\n';
      await accepts('python', 'get', constant, constant.replace('list(range(100000))', 'tuple(range(100000))'));
    });
  });

  it('are not compared when the settings exempt their kind', async () => {
    const options = { ...twice, ignore_effects: ['printed'] };
    await accepts('python', 'f', 'def f(x):\n    print(x)\n', 'def f(x): pass\n', options);
    await accepts('javascript', 'f', 'function f(x) { console.log(x); }', 'function f(x) { }', options);
    await refuses(
      'python',
      'f',
      'L = []\ndef f(x):\n    L.append(x)\n    print(x)\n',
      'L = []\ndef f(x): pass\n',
      /left L as it was/,
      options,
    );
  });

  it('are dropped by kind when two runs of the original differ', async () => {
    const text = 'import os\nLOG = []\ndef f(x):\n    print(os.urandom(8).hex())\n    LOG.append(x)\n';
    const { said, basis } = await judged('python', 'f', text, 'LOG = []\ndef f(x): LOG.append(x)\n');
    assert.equal(said, 'correct: ');
    assert.deepEqual((basis.data as { unstable_effects: string[] }).unstable_effects, ['printed']);
    await refuses('python', 'f', text, 'LOG = []\ndef f(x): pass\n', /left LOG as it was/);
  });

  it('that cannot be compared are noted with the call', async () => {
    const notesOf = async (language: string, text: string): Promise<unknown> => {
      const { basis } = await prepareText(evaluator, language, text, 'f', { calls: [{ args: [1] }] });
      return (basis.data as { results: { notes?: string[] }[] }).results[0]?.notes;
    };
    const thread =
      'import threading\ndef f(x):\n    if threading.active_count() == 1:\n        threading.Thread(target=threading.Event().wait, daemon=True).start()\n    return x\n';
    assert.deepEqual(await notesOf('python', thread), ['thread']);
    const socket =
      'import socket\ndef f(x):\n    try:\n        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()\n    except OSError:\n        pass\n    return x\n';
    assert.deepEqual(await notesOf('python', socket), ['socket']);
    assert.deepEqual(await notesOf('python', 'import subprocess\ndef f(x): return subprocess.run(["true"]).returncode\n'), [
      'subprocess',
    ]);
    assert.deepEqual(await notesOf('javascript', 'function f(x) { setTimeout(() => 0, 60000); return x; }'), ['timer']);
    assert.deepEqual(
      await notesOf(
        'javascript',
        'const { execSync } = require("child_process");\nfunction f(x) { execSync("true"); return x; }',
      ),
      ['subprocess'],
    );
    assert.equal(await notesOf('python', 'def f(x): return x\n'), undefined);
  });

  it('of calls that were held out make a candidate overfitted, with the call in words', async () => {
    const options = { ...twice, derived: [{ args: [3] }], heldout: [{ args: [4] }, { args: [5] }] };
    const { outcome } = await judged('python', 'f', 'def f(x): return x\n', 'def f(x): return min(x, 4)\n', options);
    assert.equal(outcome.kind, 'overfit');
    assert.equal(outcome.detail, 'Right on the calls that were shown, wrong on others: f(5) returned 4, expected 5.');
    assert.deepEqual(outcome.counterexample, { call: { args: [5], kwargs: {} }, expected: 'returned 5', actual: 'returned 4' });
    const shown = await judged('python', 'f', 'def f(x): return x\n', 'def f(x): return min(x, 2)\n', options);
    assert.match(shown.said, /^wrong: f\(3\) returned 2, expected 3/);
  });

  it('do not change what deterministic judging counts', async () => {
    const text = 'LOG = []\ndef f(x):\n    LOG.append(x)\n    return sum(i for i in range(100))\n';
    const more = { deterministic: true };
    const { basis, execution } = await prepareText(evaluator, 'python', text, 'f', twice, more);
    assert.equal(execution.outcome.kind, 'correct');
    const lost = await judgeText(evaluator, 'python', text.replace('LOG.append(x)', 'pass'), basis, more);
    assert.match(lost.outcome.detail, /left LOG as it was/);
  });

  it('are the whole state after other calls of the same instance, and what each of these came to', async () => {
    const python =
      'class Bag:\n    def __init__(self):\n        self.all = []\n    def add(self, x):\n        self.all.append(x)\n        return len(self.all)\n    def total(self):\n        return sum(self.all)\n';
    const javascript =
      'class Bag { constructor() { this.all = []; } async add(x) { return this.all.push(x); } total() { return this.all.reduce((a, b) => a + b, 0); } }';
    const step = (x: number) => ({ method: 'add', args: [x] });
    const calls = { calls: [{ args: [], init: [], before: [step(2), step(3)] }] };
    for (const [language, text] of [
      ['python', python],
      ['javascript', javascript],
    ] as const) {
      await accepts(language, 'Bag.total', text, text.replaceAll('x', 'item'), calls);
      const less = text.replace('sum(self.all)', 'sum(self.all[:1])').replace('this.all.reduce', 'this.all.slice(0, 1).reduce');
      await refuses(
        language,
        'Bag.total',
        text,
        less,
        /^wrong: Bag\(\)\.total\(\) after add\(2\), add\(3\) returned 2, expected 5/,
        calls,
      );
      const later = text
        .replace('return len(self.all)', 'return 1')
        .replace('return this.all.push(x)', 'this.all.push(x); return 1');
      await refuses(
        language,
        'Bag.total',
        text,
        later,
        /returned 1 in call 2 of those before it; the original returned 2/,
        calls,
      );
      const gone = text
        .replace('sum(self.all)', 'sum(self.all.copy() and [self.all.pop(), *self.all])')
        .replace('this.all.reduce', 'this.all.splice(0).reduce');
      await refuses(language, 'Bag.total', text, gone, /left its object.s all (?:with|as it was)/, calls);
    }
  });

  it('are also what the result or an argument shares with the state, where the original makes a copy', async () => {
    const rows = { calls: [{ args: [[[1], [2]]] }] };
    const copies = 'def f(rows): return [list(row) for row in rows]\n';
    await accepts('python', 'f', copies, 'def f(rows): return [row[:] for row in rows]\n', rows);
    await refuses(
      'python',
      'f',
      copies,
      'def f(rows): return list(rows)\n',
      /returned something that its arguments or its state hold/,
      rows,
    );
    const shallow = 'function f(rows) { return [...rows]; }';
    await accepts('javascript', 'f', shallow, 'function f(rows) { return rows.slice(); }', rows);
    await refuses('javascript', 'f', shallow, 'function f(rows) { return rows; }', /the original returned a copy/, rows);
    await accepts('javascript', 'f', 'function f(rows) { return rows; }', shallow, rows);
    const kept = 'const ALL = []; function f(rows) { ALL.push([...rows]); }';
    await refuses(
      'javascript',
      'f',
      kept,
      'const ALL = []; function f(rows) { ALL.push(rows); }',
      /kept a part of its arguments itself/,
      rows,
    );
  });
});
