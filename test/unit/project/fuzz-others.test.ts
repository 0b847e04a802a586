/**
 * What container engines, tables of processes, the daemon's log, pages of the dashboard and the editor's stored state say may be
 * anything, too. Seeded and bounded; a failure prints the input.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cpuMsOf } from '../../../daemon/executors/docker/docker.ts';
import { statusOf } from '../../../daemon/executors/docker/docker-network.ts';
import { membersOf, parseProcesses } from '../../../daemon/executors/seatbelt/tree.ts';
import { buildFailure } from '../../../daemon/fabric/launchers/image.ts';
import { readLogLine } from '../../../extension/client/log-line.ts';
import { ChosenModel } from '../../../extension/models/choice.ts';
import { followedRuns } from '../../../extension/runs/followed.ts';
import { FromPage } from '../../../shared/dashboard/messages.ts';

const settings = { seed: 20_260_131, numRuns: 300 };
const json = fc.jsonValue({ maxDepth: 5 });
/** A value of the expected shape in which something may be anything. */
const shaped = (make: (value: unknown) => unknown): fc.Arbitrary<unknown> => fc.oneof(json, json.map(make));
const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

describe('a decoder takes anything', () => {
  it('of what a container engine answers, prints and refuses', () => {
    const stats = shaped((total_usage) => ({ cpu_stats: { cpu_usage: { total_usage } } }));
    const lines = fc.oneof(json, fc.array(shaped((error) => ({ error }))));
    fc.assert(
      fc.property(
        stats,
        lines,
        shaped((statusCode) => ({ statusCode })),
        (answer, printed, refused) => {
          assert.ok((cpuMsOf(answer) ?? 0) >= 0);
          assert.ok(isText(buildFailure(printed)));
          assert.equal(typeof (statusOf(refused) ?? 0), 'number');
        },
      ),
      settings,
    );
    assert.equal(cpuMsOf({ cpu_stats: { cpu_usage: { total_usage: 2e6 } } }), 2);
    assert.equal(buildFailure([{ stream: 'x' }, null, { error: 'no room' }]), 'no room');
  });

  it('of a table of processes: nobody is taken for a member who is in no tree', () => {
    const number = fc.oneof(fc.nat(300), fc.constantFrom('', '-1', 'x'));
    const cells = fc.tuple(number, number, number, number, number, fc.constantFrom('S', 'Z', ''), fc.string());
    const rows = fc.array(
      fc.oneof(
        fc.string(),
        cells.map((row) => [...row.slice(0, 6), 'Wed Nov 25 01:52:23 2026', row[6]].join(' ')),
      ),
    );
    fc.assert(
      fc.property(rows, (table) => {
        const read = parseProcesses(table.join('\n'));
        for (const { pid, group, memoryBytes } of read)
          assert.ok([pid, group, memoryBytes].every((one) => Number.isInteger(one) && one >= 0));
        assert.deepEqual(membersOf(read, 1000, 'no such mark', new Map()), []);
        assert.ok(membersOf(read, read[0]?.group ?? 1, 'no such mark', new Map()).length >= Math.min(1, read.length));
      }),
      settings,
    );
  });

  it('of lines of the daemon and messages of a page', () => {
    const lines = fc.oneof(
      fc.string(),
      json.map((value) => JSON.stringify(value)),
      json.map((err) => JSON.stringify({ level: 50, msg: 'x', err })),
    );
    fc.assert(
      fc.property(lines, json, (line, message) => {
        const read = readLogLine(line);
        assert.ok(read === undefined ? line.trim() === '' : typeof read.text === 'string');
        FromPage.safeParse(message);
      }),
      settings,
    );
  });

  it('of what an editor has stored', async () => {
    const state = fc.record({
      model: shaped((backend) => ({ kind: 'model', name: 'a', label: 'b', backend })),
      queue: shaped((url) => ({ kind: 'redis', url })),
      backends: fc.oneof(json, fc.array(shaped((backend) => ({ backend, key: 'K' })))),
      followed: fc.oneof(json, fc.array(shaped((run) => ({ root: '/w', run })))),
    });
    const none = async () => undefined;
    const secrets = {
      get: none,
      store: none,
      delete: none,
      keys: async () => [],
      onDidChange: () => ({ dispose: () => undefined }),
    };
    await fc.assert(
      fc.asyncProperty(state, async (stored) => {
        const values = new Map<string, unknown>(Object.entries(stored));
        const workspaceState = {
          keys: () => [...values.keys()],
          get: <T>(key: string) => values.get(key) as T,
          update: none,
        };
        const choice = new ChosenModel({ workspaceState, secrets });
        assert.ok(isText(choice.model?.kind) && isText(choice.queue?.kind));
        assert.ok(Array.isArray((await choice.forDaemon()).backends));
        for (const { root, run } of followedRuns(workspaceState)) assert.ok(root !== '' && run !== '');
      }),
      settings,
    );
  });
});
