/**
 * What contains each hostile program of the escape suite in each tier, as a table: `npm run bench -- escape [tier …]`. Ends with
 * status 1 when one got out.
 */
import { attackIn } from '../integration/executors/escape/attack.ts';
import { hostile } from '../integration/executors/escape/programs.ts';
import { Trap } from '../integration/executors/escape/trap.ts';
import { stopEngines, tiers } from '../sandboxes.ts';

const wanted = process.argv.slice(2);
const chosen = tiers.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const cells = new Map(hostile.map(({ name }) => [name, [] as string[]]));
const trap = await Trap.set();
let escaped = 0;
try {
  for (const { name: tierName, create } of chosen) {
    const tier = create();
    const reason = await tier.unavailable();
    if (reason !== undefined) console.log(`${tierName} is not here: ${reason}`);
    for (const program of hostile) {
      const claimed = tierName !== 'plain' || program.plain === true;
      if (reason !== undefined || !claimed) {
        cells.get(program.name)?.push(reason === undefined ? 'not claimed' : 'not run');
        continue;
      }
      const { contained, escapes } = await attackIn(tier, tierName, program, trap);
      escaped += escapes.length;
      cells.get(program.name)?.push(escapes.length > 0 ? `**escaped: ${escapes.join(', ')}**` : contained);
    }
  }
} finally {
  await trap.close();
  await stopEngines();
}
console.log(`\n| program | ${chosen.map(({ name }) => name).join(' | ')} |\n| --- |${' --- |'.repeat(chosen.length)}`);
for (const [name, row] of cells) console.log(`| ${[name, ...row].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
process.exitCode = escaped > 0 ? 1 : 0;
