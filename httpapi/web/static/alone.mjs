// The map alone, for frames on pages of others: no panel, nothing that knows who looks. What is chosen opens in a tab
// of its own.
import { attributes, calm, element, node, readable } from './dom.mjs';
import { config, firstDots, home } from './early.mjs';
import * as legend from './legend.mjs';
import { details, light } from './lit.mjs';
import { operatorsOf } from './marks.mjs';
import * as pointer from './pointer.mjs';
import { draw } from './renderer.mjs';
import { sight } from './sight.mjs';
import { namePlaces } from './sites.mjs';
import { read } from './state.mjs';
import * as status from './status.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').State} State */

const { words, markets } = config;
const { view, inSight, marketOf, look } = sight(
  () => app,
  home,
  () => ({ lng: 0, lat: 0, zoom: 0, box: [-180, -90, 180, 90] }),
);

/** @type {import('./types.d.ts').App} */
const app = {
  config,
  words,
  markets,
  state: { ...read(), layers: [], from: null, at: null },
  map: null,
  view,
  market: () => inSight()[0],
  inSight,
  set,
  go: () => {},
  tell: status.tell,
  announce: () => {},
  marketOf,
};

/** set chooses a site, or none. @param {Partial<State>} change */
function set(change) {
  app.state = { ...app.state, ...change };
  light(app, 'chosen', app.state.site);
  about(app.state.site);
  link();
}

/** about says what is chosen. @param {string} key */
async function about(key) {
  element('chosen').hidden = key === '';
  element('chosen').replaceChildren(node('strong', { textContent: key }));
  const site = key && (await details(key).catch(() => null));
  const market = app.marketOf(key);
  if (!site || !market || key !== app.state.site) return;
  const ops = market.operators.reduce((mask, o, i) => mask + (site.operators.includes(o.key) ? 2 ** i : 0), 0);
  element('chosen').replaceChildren(
    node('strong', { textContent: readable(site.location.address ?? site.location.commune ?? key) }),
    node('br'),
    [operatorsOf(market, ops).join(', '), site.radio?.generation].filter(Boolean).join(' · '),
  );
}

/** link lets the link to the whole map open what this one shows. */
function link() {
  const query = new URLSearchParams(location.search);
  query.delete('ui');
  if (app.state.site) query.set('site', app.state.site);
  else query.delete('site');
  attributes(element('open'), { href: `${url('/')}?${query.toString().replaceAll('%2C', ',')}${location.hash}` });
}

function seen() {
  if (!app.map) return;
  look();
  namePlaces(app.map, app);
  legend.show(app);
  status.source(app);
}

async function start() {
  if (!home) {
    status.tell(words.later);
    return;
  }
  const early = await firstDots;
  try {
    const library = /** @type {typeof import('maplibre-gl')} */ (await import(config.assets.library));
    await draw(app, library, { moved: link, over: () => {}, look: seen });
    app.map?.once('idle', early);
    app.map?.once('movestart', early);
  } catch {
    early();
    status.tell(words.aloneNoWebGL);
  }
  if (app.map) {
    pointer.attach(app, () => false);
    const move = { animate: !calm() };
    element('nearer').addEventListener('click', () => app.map?.zoomIn(move));
    element('further').addEventListener('click', () => app.map?.zoomOut(move));
    element('controls').hidden = false;
  }
  status.source(app);
  set({});
  Object.assign(globalThis, { relais: { map: app.map, state: () => app.state } }); // for tests
}

start();
