// Builds communes.txt.gz, the names of the communes of France as INSEE spells them, former ones included. It reads the
// package of npm that package.json pins.
//
//     node communes.mjs FOLDER-WITH-NODE_MODULES FILE
//
// A line is a name. Where names differ in their accents only, their codes follow after a tab. Lines are in the order of
// the folded names, in which the program searches.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, out] = process.argv.slice(2);
const communes = JSON.parse(readFileSync(join(folder, 'node_modules/@etalab/decoupage-administratif/data/communes.json')));

// fold is what internal/fold does, for the letters of these names. A test checks the order.
const fold = (name) => name.toLowerCase().replaceAll('œ', 'oe').normalize('NFD').replace(/\p{M}/gu, '').replace(/[-' ]+/g, ' ');

const names = new Map(); // folded name → spelling → codes
for (const { nom, code, type } of communes) {
  if (type === 'arrondissement-municipal' || nom.includes('(')) continue; // no register writes them so
  const key = fold(nom), spellings = names.get(key) ?? new Map();
  names.set(key, spellings);
  spellings.set(nom, [...(spellings.get(nom) ?? []), code]);
}

const keys = [...names.keys()].sort(); // by UTF-16 units, which are ASCII here
const lines = keys.flatMap((key) => {
  const spellings = [...names.get(key)];
  return spellings.map(([name, codes]) => (spellings.length === 1 ? name : `${name}\t${codes.join(' ')}`));
});
// level 9 and no time stamp: the same package makes the same file
writeFileSync(out, gzipSync(lines.join('\n') + '\n', { level: 9 }));
