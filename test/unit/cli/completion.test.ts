import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { completionScript } from '../../../daemon/cli/completion.ts';

const commands = [
  new Command('evolve')
    .addCommand(new Command('run').option('--seed <n>').option('--selector <name>'))
    .addCommand(new Command('stop')),
  new Command('judge').option('--inputs <json>').addOption(new Option('--sandbox <tier>').choices(['docker', 'plain'])),
  new Command('show').argument('[run]').option('--seed-from <run|file...>'),
];

const folder = mkdtempSync(join(tmpdir(), 'peagen-completion-'));
mkdirSync(join(folder, '.peagen', 'runs', '20260131-142501-3fa9c1'), { recursive: true });
after(() => rmSync(folder, { recursive: true }));

/** What Bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const typed = ['peagen', ...words].map((word) => `"${word}"`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _peagen; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['-c', `${completionScript(commands, 'bash')}\n${ask}`], { encoding: 'utf8', cwd: folder });
  return said.split('\n').filter((word) => word !== '');
}

describe('the completion of a shell', () => {
  it('offers commands, and the commands of a command', () => {
    assert.deepEqual(offered(''), ['evolve', 'judge', 'show']);
    assert.deepEqual(offered('evolve', 's'), ['stop']);
  });

  it('offers the options of the command that is typed, whatever stands between', () => {
    assert.deepEqual(offered('evolve', 'run', '--se'), ['--seed', '--selector']);
    assert.deepEqual(offered('evolve', 'run', '--seed', '7', '--sel'), ['--selector']);
    assert.deepEqual(offered('judge', '--in'), ['--inputs']);
  });

  it('offers the values of an option, and nothing else after one', () => {
    assert.deepEqual(offered('judge', '--sandbox', ''), ['docker', 'plain']);
    assert.deepEqual(offered('judge', '--inputs', ''), []);
  });

  it('offers the runs of the folder', () => {
    assert.deepEqual(offered('show', '2'), ['20260131-142501-3fa9c1']);
    assert.deepEqual(offered('show', '--seed-from', ''), ['20260131-142501-3fa9c1']);
  });

  it('offers nothing for the name of a file, which the shell completes', () => {
    assert.deepEqual(offered('judge', 'src'), []);
  });
});
