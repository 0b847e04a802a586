/**
 * Builds what is released, into release/: the editor's package (VSIX), npm's package, a software bill of materials (CycloneDX), and
 * SHA256SUMS of them, which `sha256sum -c SHA256SUMS` checks; the same from the same commit. Publishes nothing. Fails where a
 * package that ships has a severe vulnerability that is known, or where the registry does not say; `--without-audit` does not ask.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = 'release';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version}\n`))
  throw new Error(`CHANGELOG.md has no section "## ${version}".`);

const hashOf = (data) => createHash('sha256').update(data).digest('hex');
const npm = (...args) =>
  execFileSync('npm', args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    maxBuffer: 2 ** 28,
    encoding: 'utf8',
  });

/** npm names the package by its folder, and puts the time and a random number in. */
function billOfMaterials() {
  const bill = JSON.parse(npm('run', '--silent', 'sbom'));
  bill.metadata.component.name = 'peagen';
  bill.metadata.timestamp = execFileSync('git', ['log', '-1', '--format=%cI'], { encoding: 'utf8' }).trim();
  delete bill.serialNumber;
  const digits = hashOf(JSON.stringify(bill));
  const parts = [0, 8, 12, 16, 20].map((from, i, all) => digits.slice(from, all[i + 1] ?? 32));
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${parts.join('-')}` }, null, 2)}\n`;
}

if (!process.argv.includes('--without-audit')) {
  try {
    npm('run', 'audit');
  } catch ({ stdout }) {
    console.error(stdout.trim());
    console.error(
      'Not released: the audit found a vulnerability, or the registry offers no audit; then use npm run release -- --without-audit.',
    );
    process.exit(1);
  }
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
// npm builds with the types and suites for plugins; the editor's package leaves these out.
npm('pack', '--pack-destination', out);
npm('run', 'package', '--', '--out', join(out, `peagen-${version}.vsix`));
writeFileSync(join(out, `peagen-${version}.cdx.json`), billOfMaterials());
const files = readdirSync(out).sort();
const sums = files.map((file) => `${hashOf(readFileSync(join(out, file)))}  ${file}`);
writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
console.log(sums.join('\n'));
