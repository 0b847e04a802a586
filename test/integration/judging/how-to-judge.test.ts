import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ExecuteCommandRequest, InitializedNotification, InitializeRequest } from 'vscode-languageserver-protocol/node';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import { RunEventNotification, RunPlan } from '../../../shared/protocol/runs.ts';
import { cli, finished, Home } from '../daemon/home.ts';

const config = `[mutate]
target_file = "double.py"
entry_fn = "double"

[evaluate]
command = "python3 check.py"
`;

describe('a command under [evaluate], without the name of an evaluator', () => {
  function write(home: Home): string {
    const path = join(home.workspace, 'double.py');
    writeFileSync(path, 'def double(n):\n    total = 0\n    for i in range(n):\n        total += 2\n    return total\n');
    writeFileSync(join(home.workspace, 'check.py'), 'from double import double\nassert double(4) == 8\n');
    writeFileSync(join(home.workspace, '.peagen.toml'), config);
    return path;
  }

  function isByCommand({ name, options }: EvaluatorSpec): void {
    assert.deepEqual([name, options['command']], ['command', 'python3 check.py']);
  }

  it('judges a run of the command line, in the daemon and in its own process', async () => {
    await using home = new Home();
    write(home);
    for (const how of [[], ['--sync']]) {
      const args = [cli, 'evolve', 'run', '--dry-run', '--json', ...how];
      const { code, stdout, stderr } = await finished(home.run(process.execPath, args, home.workspace));
      assert.equal(code, 0, stderr);
      isByCommand(RunPlan.parse(JSON.parse(stdout)).spec.evaluator);
    }
  });

  it('judges a run of a plain editor', async () => {
    await using home = new Home();
    const uri = pathToFileURL(write(home)).href;
    const client = await home.client();
    await client.connection.sendRequest(InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
    await client.connection.sendNotification(InitializedNotification.type, {});
    const { promise: started, resolve } = Promise.withResolvers<EvaluatorSpec>();
    client.on(RunEventNotification, ({ event }) => event.type === 'started' && resolve(event.spec.evaluator));
    const execute = (command: string, argument: object) =>
      client.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
    const run = execute('peagen.evolve', { uri, fn: 'double', generations: 1, seed: 1 });
    isByCommand(await Promise.race([started, run.then(() => assert.fail('the run has not begun'))]));
    await execute('peagen.stop', {});
    await run.catch(() => undefined);
  });
});
