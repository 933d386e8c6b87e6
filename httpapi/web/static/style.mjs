// The style of the map without streets: land, water, borders and names, nearly grey, so that only
// data has colour. Labels use fonts of the machine.
import { color } from './dom.mjs';

export const fonts = ['Noto Sans', 'DejaVu Sans', 'Arial', 'sans-serif'];

/** The zoom from which lines with steps of kilometres would look like streets and rivers that they are not. */
const near = 11;

/** The zoom from which its shores would put streets into the water. */
const shore = 12;

const credits =
  '<a href="https://www.naturalearthdata.com/">Natural Earth</a>, ' +
  '<a href="https://www.geonames.org/">GeoNames</a> ' +
  '(<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>)';

/**
 * baseStyle returns the base map in the colours of the moment.
 * @param {string} base address of the base map
 * @returns {import('maplibre-gl').StyleSpecification}
 */
export function baseStyle(base) {
  const kind = (/** @type {string} */ name) => /** @type {any} */ (['==', ['get', 'kind'], name]);
  return {
    version: 8,
    sources: { base: { type: 'geojson', data: base, maxzoom: 12, tolerance: 0.2, buffer: 16, attribution: credits } },
    layers: [
      {
        id: 'water',
        type: 'background',
        paint: { 'background-color': ['step', ['zoom'], color('water'), shore, color('land')] },
      },
      {
        id: 'land',
        type: 'fill',
        source: 'base',
        filter: kind('land'),
        maxzoom: shore,
        paint: { 'fill-color': color('land') },
      },
      {
        id: 'lake',
        type: 'fill',
        source: 'base',
        filter: kind('lake'),
        maxzoom: shore,
        paint: { 'fill-color': color('water') },
      },
      {
        id: 'river',
        type: 'line',
        source: 'base',
        filter: kind('river'),
        minzoom: 4,
        maxzoom: near,
        paint: { 'line-color': color('water'), 'line-width': 1.2 },
      },
      {
        id: 'area',
        type: 'line',
        source: 'base',
        filter: kind('area'),
        minzoom: 4,
        maxzoom: near,
        paint: { 'line-color': color('area'), 'line-width': 1 },
      },
      {
        id: 'border',
        type: 'line',
        source: 'base',
        filter: kind('border'),
        maxzoom: near,
        paint: { 'line-color': color('border'), 'line-width': 1.2 },
      },
    ],
  };
}

const label = () => ({ 'text-color': color('label'), 'text-halo-color': color('land'), 'text-halo-width': 1.6 });

/** How many inhabitants a town has that is named, by zoom. */
const named = /** @type {any} */ ([
  'step',
  ['zoom'],
  300000,
  5,
  100000,
  6,
  50000,
  7,
  25000,
  8,
  10000,
  9,
  0,
]);

/**
 * townLayer is above the dots, where towns are landmarks. The largest are named first.
 * @param {string} lang @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function townLayer(lang) {
  const large = (/** @type {number} */ n, /** @type {number} */ yes, /** @type {number} */ no) =>
    /** @type {any} */ (['case', ['>=', ['get', 'n'], n], yes, no]);
  return {
    id: 'town',
    type: 'symbol',
    source: 'base',
    filter: ['all', ['==', ['get', 'kind'], 'town'], ['>=', ['get', 'n'], named]],
    maxzoom: 14,
    layout: {
      'text-field': ['coalesce', ['get', lang], ['get', 'name']],
      'text-font': fonts,
      'symbol-sort-key': ['-', ['get', 'n']],
      'text-size': ['interpolate', ['linear'], ['zoom'], 4, large(500000, 13, 11), 10, large(50000, 17, 13)],
      'text-variable-anchor': ['center', 'top', 'bottom'],
      'text-padding': 4,
    },
    paint: { ...label(), 'text-color': color('town'), 'text-halo-width': 2 },
  };
}

/**
 * placeLayer names the communes of a register where towns end.
 * @param {string} source
 * @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function placeLayer(source) {
  const large = /** @type {any} */ (['>=', ['get', 'n'], 30]); // sites
  return {
    id: 'places-' + source,
    type: 'symbol',
    source,
    'source-layer': 'places',
    minzoom: 12,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': fonts,
      'text-size': ['interpolate', ['linear'], ['zoom'], 12, ['case', large, 15, 12], 15, ['case', large, 20, 15]],
      'symbol-sort-key': ['-', ['get', 'n']],
      'text-padding': 8,
    },
    paint: { ...label(), 'text-color': color('town'), 'text-halo-width': 2 },
  };
}

/**
 * streetLayer names the streets of sites, where no other streets are drawn.
 * @param {string} source
 * @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function streetLayer(source) {
  return {
    id: 'street-' + source,
    type: 'symbol',
    source,
    'source-layer': 'sites',
    minzoom: 14.5,
    filter: ['has', 'street'],
    layout: {
      'text-field': ['get', 'street'],
      'text-font': fonts,
      'text-size': ['interpolate', ['linear'], ['zoom'], 14.5, 11, 17, 13],
      'text-variable-anchor': ['top', 'bottom', 'left', 'right'], // of the mark
      'text-radial-offset': 1.1,
      'text-justify': 'auto',
      'text-max-width': 12,
      'text-padding': 3,
    },
    paint: label(),
  };
}
