import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import { completionScript } from '../../../daemon/cli/completion.ts';

const commands = [
  new Command('evolve')
    .addCommand(new Command('run').option('--seed <n>').option('--selector <name>'))
    .addCommand(new Command('stop')),
  new Command('judge').option('--inputs <json>'),
];

/** What Bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const typed = ['peagen', ...words].map((word) => `"${word}"`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _peagen; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['-c', `${completionScript(commands, 'bash')}\n${ask}`], { encoding: 'utf8' });
  return said.split('\n').filter((word) => word !== '');
}

describe('the completion of a shell', () => {
  it('offers commands, and the commands of a command', () => {
    assert.deepEqual(offered(''), ['evolve', 'judge']);
    assert.deepEqual(offered('evolve', 's'), ['stop']);
  });

  it('offers the options of the command that is typed, whatever stands between', () => {
    assert.deepEqual(offered('evolve', 'run', '--se'), ['--seed', '--selector']);
    assert.deepEqual(offered('evolve', 'run', '--seed', '7', '--sel'), ['--selector']);
    assert.deepEqual(offered('judge', '--in'), ['--inputs']);
  });

  it('offers nothing for the name of a file, which the shell completes', () => {
    assert.deepEqual(offered('judge', 'src'), []);
  });
});
