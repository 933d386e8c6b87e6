// The map. It reads its configuration from the page, and asks only this server.
import { open } from './card.mjs';
import { active, node, show } from './filters.mjs';
import { attach } from './search.mjs';
import { overlays, refresh } from './overlays.mjs';
import { addSites, drawMissing, operatorsOf, shows, tilesOf } from './sites.mjs';
import { read, write } from './state.mjs';
import { baseStyle, townLayer } from './style.mjs';

const config = JSON.parse(document.getElementById('config').textContent);
const { words, markets } = config;
const element = (id) => document.getElementById(id);
for (const m of markets) m.bands = bandsOf(m);

const scheme = matchMedia('(prefers-color-scheme: dark)');
let theme = stored('theme');
const isDark = () => (theme ? theme === 'dark' : scheme.matches);
let state = read();

// stored reads a setting. A browser may refuse storage.
function stored(name) {
  try { return localStorage.getItem(name) ?? ''; } catch { return ''; }
}

// bandsOf lists the bands of a market's systems in MHz.
function bandsOf(market) {
  const bands = new Set();
  for (const system of market.systems ?? []) {
    const m = /(\d{3,5})\s*$/.exec(system);
    if (m) bands.add(m[1]);
  }
  return [...bands].sort((a, b) => Number(a) - Number(b));
}

function message(text) {
  element('message').textContent = text;
  element('message').hidden = text === '';
}

function paintTheme() {
  if (theme) document.documentElement.dataset.theme = theme;
  document.body.toggleAttribute('data-dark', isDark());
}

// home is the box of the first market, or of what the browser's place is near.
const home = markets.find((m) => m.code === 'FR') ?? markets[0];

async function start() {
  paintTheme();
  if (!home) { message(words.later); return; }
  const maplibre = await import(config.assets.library);
  let map;
  try {
    map = new maplibre.Map({
      container: 'map', style: baseStyle(isDark(), config.assets.base), hash: 'map', bounds: home.bounds, fitBoundsOptions: { padding: 24 },
      maxZoom: 19, attributionControl: { compact: false }, dragRotate: false, pitchWithRotate: false, touchPitch: false,
      locale: { 'NavigationControl.ZoomIn': '+', 'NavigationControl.ZoomOut': '−' },
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200,
    });
  } catch (e) {
    withoutMap();
    return;
  }
  map.touchZoomRotate.disableRotation();
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'bottom-right');
  map.addControl(new maplibre.ScaleControl(), 'bottom-right');
  drawMissing(map, markets, isDark);
  map.on('style.load', () => {
    map.addLayer(townLayer(isDark()));
    for (const m of markets) addSites(map, m, state, isDark());
    over(map);
  });
  map.on('dataloading', () => { element('progress').hidden = false; });
  map.on('idle', () => { message(''); element('progress').hidden = true; list(map); });
  map.on('moveend', () => {
    const before = current;
    panel(map);
    if (before !== current || state.layers.some((name) => overlays[name]?.moves)) over(map);
  });
  map.on('click', (e) => clicked(map, e));
  map.on('mousemove', (e) => { map.getCanvas().style.cursor = featuresAt(map, e.point).length > 0 ? 'pointer' : ''; });
  map.on('error', (e) => { if (!(e.error?.status < 500) || e.error.status === 429) message(words.serverSilent); });
  addEventListener('popstate', () => { state = read(); refilter(map); card(); });
  attach(element('search'), () => [...markets].sort((a, b) => (a === nearest(map) ? -1 : b === nearest(map) ? 1 : 0)), words, (r) => {
    map.easeTo({ center: [r.lng, r.lat], zoom: Math.max(map.getZoom(), r.key ? 15 : 13), animate: !matchMedia('(prefers-reduced-motion: reduce)').matches });
    if (r.key) choose(r.key);
  });
  element('theme').addEventListener('click', () => {
    theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('theme', theme); } catch { /* then only until the page is left */ }
    paintTheme();
    map.setStyle(baseStyle(isDark(), config.assets.base), { diff: false });
    panel(map, true);
  });
  element('menu').addEventListener('click', () => {
    const open = element('panel').toggleAttribute('data-open');
    element('menu').setAttribute('aria-expanded', String(open));
  });
  addEventListener('keydown', (e) => { if (e.key === 'Escape' && state.site) choose(''); });
  panel(map, true);
  card();
  globalThis.relais = { map, state: () => state }; // for tests
}

// withoutMap leads to the list, which needs no WebGL.
function withoutMap() {
  element('map').append(node('p', { className: 'notice' }, words.noWebGL + ' ', node('a', { href: '/search', textContent: words.toList })));
}

// nearest is the market in the middle of the map, or the last one.
let current = home;
function nearest(map) {
  const { lng, lat } = map.getCenter();
  const inside = markets.filter(({ bounds: [w, s, e, n] }) => lng >= w && lng <= e && lat >= s && lat <= n);
  const size = ({ bounds: [w, s, e, n] }) => (e - w) * (n - s);
  inside.sort((a, b) => size(a) - size(b));
  current = inside[0] ?? current;
  return current;
}

let shown = '';
function panel(map, again = false) {
  const market = nearest(map);
  if (!again && shown === market.code) return;
  shown = market.code;
  show(element('panel'), market, state, words, isDark(), (change) => {
    state = { ...state, ...change };
    write(state);
    refilter(map);
  });
  const badge = document.querySelector('#menu .badge');
  badge.textContent = active(state);
  badge.hidden = active(state) === 0;
  const date = new Date(market.date + 'T00:00:00Z').toLocaleDateString(words.lang, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  element('source').replaceChildren(...(market.synthetic ? [node('strong', { textContent: words.synthetic }), ' · '] : [market.source + ' · ']), date, ' · ' + market.sites.toLocaleString(words.lang) + ' ' + words.sites);
}

function refilter(map) {
  for (const m of markets) {
    const visible = shows(m, state) ? 'visible' : 'none';
    map.getSource(m.code)?.setTiles([tilesOf(m, state)]);
    for (const layer of ['sectors-', 'clusters-', 'counts-', 'sites-']) map.setLayoutProperty(layer + m.code, 'visibility', visible);
  }
  panel(map, true);
  over(map);
}

async function over(map) {
  if (!map.isStyleLoaded() && !map.getLayer('town')) return;
  if (await refresh(map, nearest(map), state.layers)) message(words.serverSilent);
}

const siteLayers = () => markets.flatMap((m) => ['clusters-' + m.code, 'sites-' + m.code]);

function featuresAt(map, point) {
  if (!map.isStyleLoaded()) return [];
  const around = [[point.x - 8, point.y - 8], [point.x + 8, point.y + 8]];
  return map.queryRenderedFeatures(around, { layers: siteLayers().filter((id) => map.getLayer(id)) });
}

function clicked(map, e) {
  const [feature] = featuresAt(map, e.point);
  if (!feature) return;
  if (feature.properties.key) choose(feature.properties.key);
  else map.easeTo({ center: feature.geometry.coordinates, zoom: Math.min(map.getZoom() + 2, 14) });
}

function choose(key) {
  state = { ...state, site: key };
  write(state, true);
  card();
}

function card() {
  if (!state.site) { element('card').hidden = true; return; }
  open(element('card'), state.site, words, () => choose(''));
}

// list shows the sites in view as a list, for the keyboard and for screen readers.
function list(map) {
  const target = element('list');
  if (!target) return;
  const keys = new Map();
  for (const f of map.queryRenderedFeatures({ layers: siteLayers().filter((id) => map.getLayer(id)) })) keys.set(f.properties.key ?? '', f);
  const several = keys.delete('');
  if (several || keys.size > 200) { target.replaceChildren(node('li', { className: 'quiet', textContent: words.zoomIn })); return; }
  if (keys.size === 0) { target.replaceChildren(node('li', { className: 'quiet', textContent: words.noMatch })); return; }
  target.replaceChildren(...[...keys].map(([key, f]) => {
    const market = markets.find((m) => key.startsWith(m.code.toLowerCase() + '-'));
    const b = node('button', { type: 'button', textContent: `${key} · ${operatorsOf(market, f.properties.ops).join(', ')}` });
    b.addEventListener('click', () => choose(key));
    return node('li', {}, b);
  }));
}

start();
