// A chosen point of a layer: an outage, a speedtest, or a coverage point with the cell that was
// received there and a line to its site, where the register knows it.
import * as card from './card.mjs';
import { ask, explain } from './data.mjs';
import { attributes, node } from './dom.mjs';
import { angle, bearing, distance, metres, nearest } from './geo.mjs';
import * as lines from './lines.mjs';
import { details, sectorsOf } from './lit.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Point} Point */

/** @param {[string, string | undefined][]} rows */
const facts = (rows) =>
  node(
    'dl',
    {},
    ...rows
      .filter(([, v]) => v)
      .flatMap(([name, value]) => [node('dt', { textContent: name }), node('dd', { textContent: value })]),
  );

/** when writes a time as people read it. @param {string} text ISO 8601 @param {import('./types.d.ts').Words} words */
export function when(text, words) {
  const t = new Date(text);
  return Number.isNaN(t.getTime()) ? '' : t.toLocaleString(words.locale, { dateStyle: 'long', timeStyle: 'short' });
}

/** @param {unknown} v an identifier */
const value = (v) => (v === undefined || v === null ? '' : String(v));

/** measure writes a number as people of a language do. @param {unknown} v @param {string} unit @param {string} lang */
const measure = (v, unit, lang) =>
  typeof v === 'number' ? v.toLocaleString(lang, { maximumFractionDigits: 3 }).replace('-', '−') + unit : '';

/** operatorOf finds the operator of a point's network. @param {App} app @param {Record<string, any>} p */
function operatorOf(app, p) {
  // a number as JSON has it lost its leading zeros
  const codes = [2, 3].map((digits) => `${p.mcc}${String(p.mnc).padStart(digits, '0')}`);
  return app.market().operators.find((o) => o.plmns?.some((code) => codes.includes(code)));
}

/**
 * sitesOf finds the sites that a received cell belongs to, by the most exact identifier that finds any.
 * @param {App} app @param {Record<string, any>} p
 */
async function sitesOf(app, p) {
  const market = app.market(),
    operator = operatorOf(app, p)?.key;
  for (const [name, id] of [
    ['cellId', p.cell],
    ['enb', p.enb],
    ['gnb', p.gnb],
  ]) {
    if (!id) continue;
    const { data } = await ask('/antennas/lookup-by-radio', { market: market.code, operator, [name]: id, limit: 5 });
    if (data.length > 0) return data.map((/** @type {any} */ d) => d.site);
  }
  return [];
}

/** @param {App} app @param {Point} at @param {any} site */
async function link(app, at, site) {
  const { words } = app,
    market = app.market(),
    home = site.coordinates,
    back = bearing(home, at);
  const hit = nearest(
    sectorsOf(await details(site.siteKey), market).map((s) => s.azimuth),
    back,
  );
  const open = node('button', { type: 'button', className: 'link', textContent: site.siteKey });
  open.addEventListener('click', () => app.set({ site: site.siteKey }));
  const text =
    ` · ${metres(distance(home, at), words.lang)}` +
    (hit
      ? ' · ' +
        words.sectorLine.replace('%s', String(hit.azimuth)).replace('%s', String(Math.round(angle(hit.azimuth, back))))
      : '');
  return node('li', {}, open, text);
}

/**
 * show fills the card for a point.
 * @param {App} app @param {Record<string, any>} p @param {Point} at
 */
export async function show(app, p, at) {
  const { words } = app,
    name = 'point ' + JSON.stringify([at, p.at, p.cell]);
  if (p.down !== undefined) {
    card.fill(app, name, [
      node('h1', { textContent: p.down ? words.outageDown : words.outageDegraded }),
      ...(p.commune ? [node('p', { className: 'quiet', textContent: p.commune })] : []),
      facts([
        [words.operator, p.operator],
        [words.outageAffected, p.what],
        [words.outageSince, when(p.since, words)],
        [words.outageUntil, when(p.until, words)],
        [words.outageReason, p.reason],
        [words.source, words['by_' + p.by]],
      ]),
    ]);
    return;
  }
  if (p.mbps !== undefined) {
    card.fill(app, name, [
      node('h1', { textContent: words.testPoint }),
      facts([
        [words.testDownload, measure(p.mbps, ' Mbit/s', words.lang) || words.noLevel],
        [words.testUpload, measure(p.up, ' Mbit/s', words.lang)],
        [words.testLatency, measure(p.ping, ' ms', words.lang)],
        [words.operator, p.operator],
        [words.pointTechnology, p.what],
        [words.date, when(p.at, words)],
        [words.source, p.campaign],
      ]),
    ]);
    return;
  }
  const rows = facts([
    ['RSRP', measure(p.rsrp, ' dBm', words.lang) || words.noLevel],
    ['SINR', measure(p.snr, ' dB', words.lang)],
    [words.operator, p.operator || operatorOf(app, p)?.label],
    [words.pointTechnology, p.service === false ? words.noService : p.technology],
    [words.pointCell, value(p.cell)],
    ['eNB', value(p.enb)],
    ['gNB', value(p.gnb)],
    ['PCI', value(p.pci)],
    [words.date, when(p.at, words)],
    [words.source, p.campaign],
  ]);
  const found = attributes(
    node('div', { className: 'found' }, node('p', { className: 'quiet', textContent: words.loading + ' …' })),
    { 'aria-live': 'polite' },
  );
  card.fill(app, name, [
    node('h1', { textContent: words.coveragePoint }),
    rows,
    node('h2', { textContent: words.itsSite }),
    found,
  ]);
  lines.draw(app, at);
  try {
    const sites = await sitesOf(app, p);
    const items = await Promise.all(sites.map((/** @type {any} */ s) => link(app, at, s)));
    if (!card.shows(name)) return;
    found.replaceChildren(
      sites.length === 0
        ? node('p', { textContent: p.cell || p.enb || p.gnb ? words.cellUnknown : words.noCell })
        : node('ul', {}, ...items),
    );
    lines.draw(
      app,
      at,
      sites.map((/** @type {any} */ s) => ({
        to: s.coordinates,
        kind: /** @type {const} */ ('served'),
        label: metres(distance(at, s.coordinates), words.lang),
      })),
    );
  } catch (e) {
    if (card.shows(name)) found.replaceChildren(node('p', { textContent: explain(e, words) }));
  }
}
