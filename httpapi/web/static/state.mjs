// The state of the map is in the address: filters, layers and the chosen site in the query, the
// place in the hash (by MapLibre). A link opens what its sender saw. Addresses come from anybody:
// what is not a possible value is left out.

/** @typedef {import('./types.d.ts').State} State */

export const generations = ['2G', '3G', '4G', '5G'];
export const layerNames = ['outages', 'week', 'official', 'coverage', 'speedtests'];

const most = 30; // values of a list
const clean = /^[^\p{Cc}\p{Cf}<>]{1,128}$/u;

/**
 * parse reads a query.
 * @param {string} search
 * @returns {State}
 */
export function parse(search) {
  const query = new URLSearchParams(search.length > 4000 ? '' : search);
  const one = (/** @type {string} */ name) => {
    const v = query.get(name) ?? '';
    return clean.test(v) ? v : '';
  };
  const list = (/** @type {string} */ name, /** @type {RegExp} */ shape) =>
    [...new Set((query.get(name) ?? '').split(',').filter((v) => shape.test(v)))].slice(0, most);
  return {
    operators: list('operator', /^[A-Z0-9_]{1,40}$/),
    generations: list('generation', /^[2-5]G$/),
    bands: list('band', /^\d{2,5}$/),
    status: one('status'),
    together: query.get('together') === '1',
    changed: query.get('changed') === '1',
    layers: list('layers', new RegExp(`^(${layerNames.join('|')})$`)),
    site: /^[a-z]{2,5}-/i.test(one('site')) ? one('site') : '',
    from: point(query.get('from') ?? ''),
    at: point(query.get('at') ?? ''),
  };
}

/** @param {string} text latitude and longitude */
function point(text) {
  const m = /^(-?\d{1,2}(?:\.\d{1,7})?),(-?\d{1,3}(?:\.\d{1,7})?)$/.exec(text);
  if (!m || Math.abs(Number(m[1])) > 85 || Math.abs(Number(m[2])) > 180) return null;
  return { lat: Number(m[1]), lng: Number(m[2]) };
}

/** positionOf writes a point as addresses have it. @param {import('./types.d.ts').Point | null} p */
export const positionOf = (p) => (p ? `${p.lat},${p.lng}` : '');

/**
 * format returns the query of a state. Parameters of others, such as lang, stay.
 * @param {State} state @param {string} search
 */
export function format(state, search) {
  const query = new URLSearchParams();
  const lang = new URLSearchParams(search).get('lang') ?? '';
  const values = {
    lang: /^[a-z]{2}$/.test(lang) ? lang : '',
    operator: state.operators.join(','),
    generation: state.generations.join(','),
    band: state.bands.join(','),
    status: state.status,
    together: state.together ? '1' : '',
    changed: state.changed ? '1' : '',
    layers: state.layers.join(','),
    site: state.site,
    from: positionOf(state.from),
    at: positionOf(state.at),
  };
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.toString().replaceAll('%2C', ',');
}

/** read returns the state of the address. */
export const read = () => parse(location.search);

/** write makes an entry of the history, so that "back" undoes what was chosen. @param {State} state */
export function write(state) {
  const text = format(state, location.search);
  const address = location.pathname + (text ? '?' + text : '') + location.hash;
  if (address !== location.pathname + location.search + location.hash) history.pushState(null, '', address);
}

/** active counts the filters that are set. @param {State} state */
export const active = (state) =>
  [
    state.operators.length > 0,
    state.generations.length > 0,
    state.bands.length > 0,
    state.status !== '',
    state.together,
    state.changed,
  ].filter(Boolean).length;

/** none is the state without filters. @type {Partial<State>} */
export const none = { operators: [], generations: [], bands: [], status: '', together: false, changed: false };

/**
 * filtersOf returns the parameters of a market's tiles and lists under the filters, leaving out
 * what the market does not have.
 * @param {import('./types.d.ts').Market} market @param {State} state
 */
export function filtersOf(market, state) {
  /** @type {Record<string, string>} */
  const query = {};
  const operators = state.operators.filter((key) => market.operators.some((o) => o.key === key));
  const bands = state.bands.filter((b) => market.bands.includes(b));
  if (operators.length > 0) query.operator = operators.join(',');
  if (state.generations.length > 0) query.generation = state.generations.join(',');
  if (bands.length > 0) query.band = bands.join(',');
  if (state.status && market.statuses?.includes(state.status)) query.status = state.status;
  if (state.together) query.together = 'true';
  if (state.changed && market.changes) query.changedSince = dayBefore(market.date);
  return query;
}

/** dayBefore is the date from which on only the last edition is newer. @param {string} date YYYY-MM-DD */
function dayBefore(date) {
  const day = new Date(date + 'T00:00:00Z');
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/**
 * serves reports whether a market can have sites under the filters.
 * @param {import('./types.d.ts').Market} market @param {State} state
 */
export function serves(market, state) {
  const fits = (/** @type {string[]} */ chosen, /** @type {string[]} */ has) =>
    chosen.length === 0 ||
    (state.together ? chosen.every((v) => has.includes(v)) : chosen.some((v) => has.includes(v)));
  const operators = market.operators.map((o) => o.key);
  return (
    fits(state.operators, operators) &&
    fits(state.bands, market.bands) &&
    (!state.status || Boolean(market.statuses?.includes(state.status))) &&
    (!state.changed || market.changes)
  );
}
