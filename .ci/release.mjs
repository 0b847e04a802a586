/**
 * Builds what is released, into release/: the editor's package (VSIX), npm's package, and SHA256SUMS of both, which
 * `sha256sum -c SHA256SUMS` checks. Publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = 'release';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version}\n`))
  throw new Error(`CHANGELOG.md has no section "## ${version}".`);

const npm = (...args) =>
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
// npm builds with the types and suites for plugins; the editor's package leaves these out.
npm('pack', '--pack-destination', out);
npm('run', 'package', '--', '--out', join(out, `peagen-${version}.vsix`));
const files = readdirSync(out).sort();
const sums = files.map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex')}  ${file}`,
);
writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
console.log(sums.join('\n'));
