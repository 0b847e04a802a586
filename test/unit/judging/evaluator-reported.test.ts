/** What is believed of the times that a command reports of itself. */
import assert from 'node:assert/strict';
import { type DrawnRun, drawnVerdict } from '../../../daemon/judging/forgery/drawn.ts';
import { judgeReports, type ReportedRuns, reportVerdict, type Timed } from '../../../daemon/judging/forgery/reported.ts';

const runs = (reported: number, wall: number): Timed[] => [
  { reported, wall },
  { reported: reported * 1.02, wall: wall + 2 },
];

/** Judges recorded readings, and says how many of each were taken. The lists are used up; the last reading repeats. */
async function judged(recorded: ReportedRuns) {
  const left = new Map(Object.entries(recorded).map(([which, timed]) => [which, [...timed]]));
  const taken: string[] = [];
  const next = (which: string): Timed | undefined => {
    const list = left.get(which) ?? [];
    return list.length > 1 ? list.shift() : list[0];
  };
  const first = (which: 'original' | 'candidate'): Timed[] => [next(which) ?? assert.fail('no reading')];
  const verdict = await judgeReports({ original: first('original'), candidate: first('candidate') }, async (which) => {
    taken.push(which);
    return next(which);
  });
  return { verdict, count: (which: string) => taken.filter((one) => one === which).length };
}

describe('reported times', () => {
  it('are believed as far as the run got shorter', () => {
    const verdict = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 42),
      slowedOriginal: runs(360, 400),
      slowedCandidate: runs(303, 342),
    });
    assert.deepEqual(verdict, { leastMs: 3, unverified: false });
  });

  it('are bounded by the clock out here where the run did not get shorter', () => {
    const { leastMs, forged } = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: runs(360, 400),
      slowedCandidate: runs(303, 400),
    });
    assert.equal(forged, undefined);
    assert.ok(leastMs > 55, `${leastMs}`);
  });

  it('are forged where the same steps take a part of the time', () => {
    const { forged } = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: runs(360, 400),
      slowedCandidate: runs(18, 400),
    });
    assert.match(forged ?? '', /20\.0th/);
  });

  it('are not forged where the machine was three times as slow for the original', () => {
    const { forged } = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 42),
      slowedOriginal: runs(960, 1000),
      slowedCandidate: runs(303, 342),
    });
    assert.equal(forged, undefined);
  });

  it('are unverified where the benchmark goes on for a fixed time, and where nothing was seen', () => {
    const fixed = { original: runs(0.5, 1000), candidate: runs(0.1, 1000) };
    const slowed = { slowedOriginal: runs(30, 1010), slowedCandidate: runs(29, 1010) };
    assert.deepEqual(reportVerdict({ ...fixed, ...slowed }), { leastMs: 0.1, unverified: true });
    const unseen = { slowedOriginal: [], slowedCandidate: [] };
    assert.equal(reportVerdict({ original: runs(60, 100), candidate: runs(3, 42), ...unseen }).unverified, true);
  });

  it('of many runs have to be seen as often', () => {
    const { leastMs } = reportVerdict({
      original: runs(1, 1040),
      candidate: runs(0.1, 1000),
      slowedOriginal: runs(2, 2040),
      slowedCandidate: runs(1.1, 2000),
    });
    assert.ok(leastMs > 0.9, `${leastMs}`);
  });

  it('are judged by two runs of each where all of them say the same', async () => {
    const { verdict, count } = await judged({
      original: runs(60, 100),
      candidate: runs(3, 42),
      slowedOriginal: runs(360, 400),
      slowedCandidate: runs(303, 342),
    });
    assert.deepEqual(verdict, { leastMs: 3, unverified: false });
    assert.deepEqual([count('original'), count('candidate'), count('slowedOriginal'), count('slowedCandidate')], [1, 1, 2, 2]);
  });

  it('are forged even though a first run of the original was slow', async () => {
    // Recorded on a busy machine, with a clock that runs at a twentieth: 54.6 ms were claimed where the original reported 396.6.
    const { verdict } = await judged({
      original: [
        { reported: 396.6, wall: 1480 },
        { reported: 61, wall: 160 },
      ],
      candidate: [
        { reported: 54.6, wall: 1220 },
        { reported: 3.1, wall: 161 },
      ],
      slowedOriginal: [{ reported: 940, wall: 1041 }],
      slowedCandidate: [{ reported: 47.5, wall: 1052 }],
    });
    assert.match(verdict.forged ?? '', /clock or what it prints of it was changed/);
  });

  it('are not forged by a single run, and bounded by the clock out here as long as the runs disagree', async () => {
    const { verdict, count } = await judged({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: runs(360, 400),
      slowedCandidate: [
        { reported: 18, wall: 400 },
        { reported: 303, wall: 400 },
        { reported: 303, wall: 400 },
      ],
    });
    assert.equal(verdict.forged, undefined);
    assert.equal(verdict.unverified, true);
    assert.ok(verdict.leastMs > 55, `${verdict.leastMs}`);
    assert.equal(count('slowedCandidate'), 3);
  });

  it('of a program that cannot be slowed are bounded by the clock out here', async () => {
    const { verdict } = await judged({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: [],
      slowedCandidate: [],
    });
    assert.equal(verdict.unverified, true);
    assert.ok(verdict.leastMs > 55, `${verdict.leastMs}`);
  });
});

describe('what is gained where a program cannot know whether it is broken', () => {
  const plain = { original: runs(300, 300), candidate: runs(60, 60) };
  const run = (drew: DrawnRun['drew'], succeeded: boolean, ms = 300): DrawnRun => ({
    ...{ drew, succeeded },
    timed: { reported: ms, wall: ms },
  });
  const honest = [run('right', true), run('right', true), run('nonsense', false, 70)];

  it('is believed with two right runs and a wrong one, and not before', () => {
    const believed = { leastMs: 60, unverified: false };
    const right = [run('right', true, 70), run('right', true, 70)];
    const wrong = run('nonsense', false);
    assert.deepEqual(drawnVerdict(plain, { original: honest, candidate: [...right, wrong] }), believed);
    assert.equal(drawnVerdict(plain, { original: honest, candidate: right }), undefined);
    assert.equal(drawnVerdict(plain, { original: honest, candidate: [...right.slice(1), wrong] }), undefined);
    assert.equal(drawnVerdict(plain, { original: honest, candidate: [run('nonsense', false)] }), undefined);
  });

  it('is forged with nonsense that succeeds twice, unless it does with the original', () => {
    const forger = [run('nonsense', true, 60), run('nonsense', true, 60)];
    assert.equal(drawnVerdict(plain, { original: honest, candidate: forger.slice(1) }), undefined);
    assert.match(drawnVerdict(plain, { original: honest, candidate: forger })?.forged ?? '', /exchanged for nonsense/);
    const careless = [run('right', true), run('right', true), run('nonsense', true)];
    const right = [run('right', true, 70), run('right', true, 70)];
    const believed = drawnVerdict(plain, { original: careless, candidate: [...forger, ...right] });
    assert.deepEqual(believed, { leastMs: 60, unverified: false });
  });

  it('is forged by who behaves there, and bounded by what shows there', () => {
    const three = (ms: number): DrawnRun[] => [...[0, 1, 2].map(() => run('right', true, ms)), run('nonsense', false)];
    const original = three(300);
    assert.match(drawnVerdict(plain, { original, candidate: three(295) })?.forged ?? '', /only 1\.02.* where it cannot know/);
    assert.equal(drawnVerdict(plain, { original, candidate: three(295).slice(1) }), undefined);
    // Not before there are as many runs as there may be: load hides the gain of an honest one in some of them.
    assert.equal(drawnVerdict(plain, { original, candidate: three(200) }), undefined);
    const bounded = drawnVerdict(plain, { original, candidate: three(200) }, true)?.leastMs ?? 0;
    assert.ok(bounded >= 200 && bounded < 230, `${bounded}`);
  });

  it('gains nothing on a busy machine by who behaves there, and is not accused', () => {
    const took = (ms: number): Timed => ({ reported: ms, wall: ms });
    const busy = { original: [300, 900, 500, 320].map(took), candidate: [60, 700, 90, 280].map(took) };
    const right = (...ms: number[]): DrawnRun[] => ms.map((one) => run('right', true, one));
    const original = right(310, 650, 420, 300, 800, 330);
    const behaves = [...right(500, 305, 700, 340, 310, 900), run('nonsense', false)];
    assert.equal(drawnVerdict(busy, { original, candidate: behaves }), undefined);
    assert.deepEqual(drawnVerdict(busy, { original, candidate: behaves }, true), { leastMs: 300, unverified: false });
    // One that took less by chance changes nothing.
    const byChance = [...right(100, 305, 700, 340, 310, 900), run('nonsense', false)];
    assert.deepEqual(drawnVerdict(busy, { original, candidate: byChance }, true), { leastMs: 300, unverified: false });
    const honest = [...right(90, 75, 300, 70, 85, 160), run('nonsense', false)];
    assert.deepEqual(drawnVerdict(busy, { original, candidate: honest }), { leastMs: 60, unverified: false });
  });

  it('is unverified where no function is called, or never right and wrong', () => {
    const unverified = { leastMs: 60, unverified: true };
    assert.deepEqual(drawnVerdict(plain, { original: [run(undefined, true)], candidate: [] }), unverified);
    assert.deepEqual(drawnVerdict(plain, { original: [], candidate: [] }), unverified);
    assert.deepEqual(drawnVerdict(plain, { original: honest, candidate: [run(undefined, true)] }, true), unverified);
  });
});
