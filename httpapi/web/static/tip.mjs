// A short text next to what the pointer or the keyboard is on. Phones have no pointer: there a tap
// opens the card.
import { element, node, readable } from './dom.mjs';
import { mark as drawMark, operatorsOf, picture } from './marks.mjs';

/** @typedef {import('./types.d.ts').App} App */

/**
 * show puts content next to a point of the map.
 * @param {{x: number, y: number}} at @param {...(Node | string)} content
 */
export function show(at, ...content) {
  const tip = element('tip'),
    map = element('map');
  tip.replaceChildren(...content);
  tip.hidden = false;
  const left = at.x + 14 + tip.offsetWidth > map.clientWidth ? at.x - 14 - tip.offsetWidth : at.x + 14;
  const top = Math.min(Math.max(4, at.y - tip.offsetHeight / 2), map.clientHeight - tip.offsetHeight - 4);
  tip.style.transform = `translate(${Math.max(4, Math.round(left))}px, ${Math.round(top)}px)`;
}

export function hide() {
  delete element('tip').dataset.key;
  element('tip').hidden = true;
}

/** shows reports whether the text is about a site. @param {string} key */
export const shows = (key) => element('tip').dataset.key === key;

/**
 * site describes a site in three lines. where is its location, if it is known.
 * @param {import('./types.d.ts').Mark} m @param {App} app @param {any} [where]
 */
export function site(m, app, where) {
  const { words } = app;
  element('tip').dataset.key = m.key;
  const state = m.live === 0 ? words.hollow : `${m.gen}G`;
  return [
    picture(drawMark(m.market, m.ops, m.live, m.gen, 20)),
    node(
      'span',
      {},
      node('strong', { textContent: readable(where?.address ?? where?.commune ?? m.key) }),
      node('br'),
      operatorsOf(m.market, m.ops).join(', '),
      node('br'),
      node('span', { className: 'quiet', textContent: state }),
    ),
  ];
}

/**
 * dot says whose a dot is.
 * @param {{ market: import('./types.d.ts').Market, ops: number, live: number, gen: number }} d @param {App} app
 */
export const dot = ({ market, ops, live, gen }, { words }) => [
  [operatorsOf(market, ops).join(', '), live === 0 ? words.hollow : `${gen}G`].join(' · '),
];

const units = /** @type {Record<string, string>} */ ({ rsrp: ' dBm', mbps: ' Mbit/s' });

/**
 * evidence describes a point of a layer in one line.
 * @param {Record<string, any>} p @param {App} app
 */
export function evidence(p, app) {
  const { words } = app;
  if (p.kind !== undefined) return [words['change_' + p.kind] ?? words.layer_week];
  if (p.down !== undefined)
    return [[p.operator, p.commune, p.down ? words.outageDown : words.outageDegraded].filter(Boolean).join(' · ')];
  const name = p.rsrp !== undefined ? 'rsrp' : 'mbps';
  return [
    p[name] === '' ? words.noLevel : `${Math.round(p[name])}${units[name]}`.replace('-', '−'),
    p.technology || p.what ? ` · ${p.technology || p.what}` : '',
  ];
}
