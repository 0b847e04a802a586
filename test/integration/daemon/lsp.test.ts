import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCountedTarget } from '../evolve/counted-target.ts';
import { cli, finished, Home } from './home.ts';

interface Report {
  failure?: string;
  diagnostic: { line: number; message: string };
  lenses: string[];
  lenses_after: string[];
  progress: string[];
  messages: string[];
  buffer: string;
  modified: boolean;
}

describe('Neovim, with nothing but its own language client', function () {
  this.timeout(600_000);

  before(function () {
    if (spawnSync('nvim', ['--version']).status === 0) return;
    assert.notEqual(process.env['CI'], 'true', 'nvim is missing');
    this.skip();
  });

  it('evolves a function, follows the progress, and applies the best to its buffer', async () => {
    await using home = new Home();
    writeCountedTarget(home.workspace);
    const file = join(home.workspace, 'bad_sort.py');
    const original = readFileSync(file, 'utf8');
    appendFileSync(
      join(home.workspace, '.peagen.toml'),
      '\n[evolve]\nseed = 1\npopulation = 4\n\n[evolve.stop]\nmax_generations = 2\n',
    );
    const path = join(home.folder, 'report.json');
    const connect = [process.execPath, cli, 'daemon', 'connect', '--workspace', home.workspace, '--client', 'neovim'];
    Object.assign(home.env, { REPORT: path, CONNECT: connect.join('\n'), XDG_CONFIG_HOME: home.folder });
    const script = join(import.meta.dirname, 'lsp', 'evolve.lua');
    const nvim = home.run('nvim', ['--headless', '--clean', '-n', '-u', 'NONE', '-c', `luafile ${script}`], home.workspace);
    const { stderr, code } = await finished(nvim);
    assert.equal(code, 0, stderr);
    const report: Report = JSON.parse(readFileSync(path, 'utf8'));

    assert.equal(report.failure, undefined);
    assert.equal(report.diagnostic.line, 1);
    assert.match(report.diagnostic.message, /popultion/);
    assert.ok(report.lenses.includes('Evolve'), report.lenses.join());
    assert.ok(
      report.lenses_after.some((title) => /^Apply best: score \d+\.\d{2,4}$/.test(title)),
      report.lenses_after.join(),
    );
    assert.deepEqual([report.progress[0], report.progress.at(-1)], ['begin', 'end']);
    assert.match(report.messages[0] ?? '', /^Best variant of bad_sort: score \d/);
    assert.deepEqual([report.modified, report.buffer === original], [true, false]);
    assert.equal(readFileSync(file, 'utf8'), original, 'the file on disk is the editor’s to write');
    assert.equal(home.daemons().length, 1, 'the daemon outlives the editor');
  });
});
