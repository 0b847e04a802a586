import { proseOf, trackedFiles } from '/work/wt/house/test/prose.ts';
import { readFileSync } from 'node:fs';
const src = readFileSync('/work/wt/house/test/unit/language.test.ts', 'utf8');
const body = src.slice(src.indexOf('const RULES'), src.indexOf('/** Where the words'));
const RULES = eval(body.replace(/const RULES[^=]*=/, '').replace(/;\s*$/, ''));
const found = [];
for (const path of trackedFiles()) { if (path.endsWith('language.test.ts')) continue;
  for (const { at, text, opens } of await proseOf(path)) for (const r of RULES) if ((r.opening === undefined || opens) && r.refused.test(text)) found.push([at, r.refused.exec(text)[0], readFileSync(path,'utf8').split('\n')[Number(at.split(':')[1])-1].trim()]);
}
for (const f of found) console.log(f.join('\t'));
console.error(found.length);
