// The style of the map without streets: land, water, borders and names, nearly grey, so that only
// data has colour. Labels use fonts of the machine.

const fonts = ['Noto Sans', 'DejaVu Sans', 'Arial', 'sans-serif'];

const tones = {
  light: { water: '#d6e0e5', land: '#f5f4f0', border: '#9aa3a0', area: '#c9cfcc', ink: '#3a4441', halo: '#f5f4f0' },
  dark: { water: '#10171a', land: '#1f2625', border: '#5d6966', area: '#38423f', ink: '#b9c3c0', halo: '#1f2625' },
};

export function baseStyle(dark, base) {
  const t = dark ? tones.dark : tones.light;
  const kind = (name) => ['==', ['get', 'kind'], name];
  return {
    version: 8,
    sources: { base: { type: 'geojson', data: base, maxzoom: 12, tolerance: 0.2, attribution: '<a href="https://www.naturalearthdata.com/">Natural Earth</a>, <a href="https://www.geonames.org/">GeoNames</a> (<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>)' } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': t.water } },
      { id: 'land', type: 'fill', source: 'base', filter: kind('land'), paint: { 'fill-color': t.land } },
      { id: 'lake', type: 'fill', source: 'base', filter: kind('lake'), paint: { 'fill-color': t.water } },
      { id: 'river', type: 'line', source: 'base', filter: kind('river'), minzoom: 4, paint: { 'line-color': t.water, 'line-width': 1.2 } },
      { id: 'area', type: 'line', source: 'base', filter: kind('area'), minzoom: 4, maxzoom: 11, paint: { 'line-color': t.area, 'line-width': 1 } },
      { id: 'border', type: 'line', source: 'base', filter: kind('border'), paint: { 'line-color': t.border, 'line-width': 1.2 } },
    ],
  };
}

// townLayer is above the sites at small zooms only, where towns are landmarks.
export function townLayer(dark) {
  const t = dark ? tones.dark : tones.light;
  return {
    id: 'town', type: 'symbol', source: 'base', filter: ['==', ['get', 'kind'], 'town'], maxzoom: 11.5,
    layout: {
      'text-field': ['get', 'name'], 'text-font': fonts, 'symbol-sort-key': ['-', ['get', 'n']],
      'text-size': ['interpolate', ['linear'], ['zoom'], 4, ['case', ['>', ['get', 'n'], 500000], 13, 11], 10, ['case', ['>', ['get', 'n'], 50000], 16, 12]],
      'text-padding': 6,
    },
    paint: { 'text-color': t.ink, 'text-halo-color': t.halo, 'text-halo-width': 1.6 },
  };
}

// placeLayer names the communes of a register from zoom 10.
export function placeLayer(source, dark) {
  const t = dark ? tones.dark : tones.light;
  return {
    id: 'places-' + source, type: 'symbol', source, 'source-layer': 'places', minzoom: 11.5,
    layout: { 'text-field': ['get', 'name'], 'text-font': fonts, 'text-size': 13, 'symbol-sort-key': ['-', ['get', 'n']], 'text-padding': 8 },
    paint: { 'text-color': t.ink, 'text-halo-color': t.halo, 'text-halo-width': 1.6 },
  };
}

export { fonts };
