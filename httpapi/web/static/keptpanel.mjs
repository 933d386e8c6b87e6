// The part of the panel where areas are kept, listed, renewed and deleted.
import { datesFor, see } from './away.mjs';
import { aborted, explain, Refusal } from './data.mjs';
import { element, node } from './dom.mjs';
import { keep, plan, remove } from './keep.mjs';
import { areas } from './kept.mjs';
import { everySite, withMarks } from './sites.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./kept.mjs').Area} Area */
/** @typedef {import('./keep.mjs').Plan} Plan */

/** Whether the browser says that it may delete what is kept. */
let fleeting = false;

/** @param {string} text @param {() => void} act */
function button(text, act) {
  const b = node('button', { type: 'button', textContent: text });
  b.addEventListener('click', act);
  return b;
}

const line = (/** @type {string} */ textContent) => node('p', { className: 'note', textContent });

/** size writes a number of bytes. @param {App} app @param {number} bytes */
function size({ words }, bytes) {
  const large = bytes >= 1e6;
  return (large ? bytes / 1e6 : Math.max(1, bytes / 1e3)).toLocaleString(words.lang, {
    style: 'unit',
    unit: large ? 'megabyte' : 'kilobyte',
    maximumFractionDigits: large ? 1 : 0,
  });
}

const number = (/** @type {App} */ { words }, /** @type {number} */ n) => n.toLocaleString(words.lang);

/** depth says how near the tiles go. @param {App} app @param {number} zoom */
const depth = ({ words }, zoom) =>
  zoom < everySite ? words.keptDots : zoom < withMarks ? words.keptSites : words.keptSectors;

/**
 * show fills the part.
 * @param {App} app @param {boolean} away the server is silent @param {(Node | string)[]} [now] instead of the button
 * @param {boolean} [alone] without what is kept
 */
export function show(app, away, now, alone = false) {
  const { words, config } = app,
    part = element('kept');
  part.hidden = config.key || !app.map;
  const offer = away ? [line(words.keptFilters)] : [button(words.keepView, () => propose(app)), line(words.keepHelp)];
  part.replaceChildren(
    node('h2', { id: 'kept-title', textContent: words.keptTitle }),
    ...(now ?? offer),
    ...(alone ? [] : areas().map((area) => row(app, away, area))),
    ...(fleeting && areas().length > 0 ? [line(words.keptMayGo)] : []),
  );
}

/** @param {App} app @param {boolean} away @param {Area} area */
function row(app, away, area) {
  const { words } = app;
  const newer = app.markets.some((m) => !app.config.kept && m.date > (area.dates[m.code] ?? '9'));
  return node(
    'div',
    { className: 'area' },
    node('strong', { textContent: area.label }),
    line(datesFor(app, area, words.keptDates)),
    line(`${number(app, area.tiles)} ${words.keptTiles} · ${size(app, area.bytes)} · ${depth(app, area.zoom)}`),
    ...(newer ? [line(words.keptNewer)] : []),
    node(
      'div',
      { className: 'row' },
      button(words.keptSee, () => {
        element('show').click();
        see(app, area);
      }),
      ...(away ? [] : [button(words.keptRenew, () => renew(app, area))]),
      button(words.keptDelete, () => remove(area).then(() => show(app, away))),
    ),
  );
}

/** propose says what keeping the view costs. @param {App} app */
async function propose(app) {
  const { words } = app;
  show(app, false, [line(words.loading + ' …')]);
  try {
    const p = await plan(app, app.view().box);
    const first = areas().length === 0 ? [line(words.keepFirst.replace('%s', size(app, app.config.assets.size)))] : [];
    const cost = words.keepCost
      .replace('%s', number(app, p.tiles.length))
      .replace('%s', number(app, p.sites))
      .replace('%s', size(app, p.bytes));
    show(app, false, [
      node('p', { textContent: cost }),
      line(`${depth(app, p.zoom)} ${words.keepWithout}`),
      ...first,
      node(
        'div',
        { className: 'row' },
        button(words.keepNow, () => run(app, p)),
        button(words.cancel, () => show(app, false)),
      ),
    ]);
    element('kept').querySelector('button')?.focus();
  } catch (e) {
    failed(app, e);
  }
}

/** renew keeps an area again, as it is now. @param {App} app @param {Area} area */
async function renew(app, area) {
  try {
    await run(app, await plan(app, area.box), area);
  } catch (e) {
    failed(app, e);
  }
}

/** run keeps an area, and shows how far it is. @param {App} app @param {Plan} p @param {Area} [older] */
async function run(app, p, older) {
  const { words } = app,
    stop = new AbortController(),
    bar = node('progress', { max: p.tiles.length, value: 0 }),
    text = line('');
  bar.setAttribute('aria-label', words.keepView);
  show(app, false, [bar, text, button(words.cancel, () => stop.abort())], true);
  try {
    await keep(
      app,
      p,
      (done) => {
        bar.value = done;
        text.textContent = `${number(app, done)} / ${number(app, p.tiles.length)}`;
      },
      stop.signal,
      older,
    );
    fleeting = !(await navigator.storage?.persisted?.());
    show(app, false);
    app.announce(words.keptDone);
  } catch (e) {
    if (aborted(e)) show(app, false);
    else failed(app, e);
  }
}

/** @param {App} app @param {unknown} e */
function failed(app, e) {
  const { words } = app;
  const full = e instanceof DOMException && e.name === 'QuotaExceededError';
  const silent = e instanceof TypeError || (e instanceof Refusal && e.status === 429);
  const why = full ? words.keptFull : silent ? explain(e, words) : words.keptFailed;
  show(app, false, [line(why), button(words.keepView, () => propose(app))]);
}
