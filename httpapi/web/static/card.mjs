// The card of a site is the main part of its page; others fill it with what they found.
import { attributes, copyIcon, copyText, element, node, readable } from './dom.mjs';
import { keptSites } from './kept.mjs';
import { labels } from './places.mjs';
import { settle } from './sheet.mjs';
import { positionOf } from './state.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */

/** Parts of pages that were read before, by their subject. @type {Map<string, DocumentFragment>} */
const pages = new Map();
let shown = '';
/** What had the focus before. @type {HTMLElement | null} */
let before = null;

/** attach makes the buttons of the card work. @param {App} app @param {() => void} close */
export function attach(app, close) {
  const { words } = app;
  element('close').addEventListener('click', close);
  element('print').addEventListener('click', () => print());
  const share = element('share');
  share.addEventListener('click', async () => {
    const link = location.href;
    if (navigator.share) {
      await navigator.share({ title: document.title, url: link }).catch(() => {});
      return;
    }
    const done = await copyText(link);
    say(share, done, done ? words.linkCopied : words.copyFailed, app);
  });
  // a link of the page to the map moves this map
  element('content').addEventListener('click', (e) => {
    const a = e.target instanceof Element ? e.target.closest('a') : null;
    const sites = location.origin + url('/site/');
    if (a && subject(app)[0] === 'at' && a.href.startsWith(sites)) {
      e.preventDefault();
      app.set({ site: decodeURIComponent(new URL(a.href).pathname.slice(url('/site/').length)) });
      return;
    }
    const m =
      a && a.origin === location.origin && a.pathname === url('/') && /#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(a.hash);
    if (!m) return;
    e.preventDefault();
    app.go({ zoom: Number(m[1]), lat: Number(m[2]), lng: Number(m[3]) });
  });
}

/**
 * say shows a short answer on a button: a tick, or a cross.
 * @param {HTMLElement} button @param {boolean} done @param {string} text @param {App} app
 */
function say(button, done, text, app) {
  const sign = done ? 'data-done' : 'data-failed';
  button.setAttribute(sign, '');
  app.announce(text);
  setTimeout(() => button.removeAttribute(sign), 1500);
}

/** copyButtons puts a button next to each element whose text people copy. @param {ParentNode} root @param {App} app */
function copyButtons(root, app) {
  for (const e of root.querySelectorAll('[data-copy]')) {
    const text = e.getAttribute('data-copy') || e.textContent || '';
    const b = attributes(node('button', { type: 'button', className: 'copy', title: app.words.copy }, copyIcon()), {
      'aria-label': `${app.words.copy}: ${text}`,
    });
    b.addEventListener('click', async () => {
      const done = await copyText(text);
      say(b, done, done ? app.words.copied : app.words.copyFailed, app);
    });
    e.after(b);
  }
}

/**
 * fill shows content in the card. name says what it is: filling it again with the same keeps the
 * sheet where it is.
 * @param {App} app @param {string} name @param {(Node | string)[]} content
 */
export function fill(app, name, content) {
  const card = element('card'),
    inside = element('content');
  const opens = card.hidden;
  if (opens) before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  card.hidden = false;
  inside.replaceChildren(...content);
  if (shown === name) return;
  shown = name;
  inside.scrollTop = 0;
  settle(opens ? 'half' : card.dataset.stop || 'half', app.words);
  if (opens && !element('sites').contains(document.activeElement)) inside.focus({ preventScroll: true });
}

/** hide closes the card. @param {App} app */
export function hide(app) {
  const card = element('card');
  if (card.hidden) return;
  const had = card.contains(document.activeElement);
  card.hidden = true;
  shown = '';
  settle('half', app.words);
  if (had) (before?.isConnected ? before : element('map').querySelector('canvas'))?.focus();
}

/** shows reports whether the card shows this. @param {string} name */
export const shows = (name) => shown === name;

/**
 * subject is whose page the card shows: a kind and a name.
 * @param {App} app
 */
function subject({ state }) {
  if (state.site) return ['site', state.site];
  return state.at && !state.from ? ['at', positionOf(state.at)] : [];
}

/** open shows the chosen site, or who covers the chosen place. @param {App} app */
export async function open(app) {
  const { words } = app,
    [kind, key] = subject(app),
    name = `${kind} ${key}`;
  const ready = pages.get(name);
  if (ready) {
    present(app, name, ready);
    return;
  }
  fill(app, name, [
    node('h1', { textContent: kind === 'at' ? `${words.atLoading}: ${key}` : key }),
    node('p', { className: 'quiet', textContent: words.loading + ' …' }),
  ]);
  try {
    const answer = await fetch(url(`/${kind}/${encodeURIComponent(key)}?lang=${words.lang}`));
    if (answer.status === 404) {
      failed(app, name, words.siteUnknown);
      return;
    }
    if (!answer.ok && answer.status !== 410) { // a removed site has a page too
      failed(app, name, answer.status === 429 ? words.tooManyRequests : words.noAnswer, () => open(app));
      return;
    }
    const main = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
    const part = document.createDocumentFragment();
    part.append(...(main ? document.adoptNode(main).childNodes : []));
    pages.set(name, part);
    if (pages.size > 60) pages.delete(/** @type {string} */ (pages.keys().next().value));
    present(app, name, part);
  } catch {
    const kept = kind === 'site' && (await keptSites()).get(key);
    if (kept && shown === name) fill(app, name, summary(app, kept));
    else failed(app, name, words.noAnswer, () => open(app));
  }
}

/** summary is what is kept of a site. @param {App} app @param {any} site */
function summary(app, site) {
  const { words } = app,
    { address, commune } = site.location,
    status = words['status_' + site.status] ?? site.status;
  return [
    node('h1', { textContent: [address, commune].filter(Boolean).map(readable).join(', ') || site.siteKey }),
    node('p', { className: 'where', textContent: [site.siteKey, status].filter(Boolean).join(' · ') }),
    node('p', { textContent: labels(site, app) }),
    node('p', { textContent: site.technologies.join(', ') }),
    node('p', { className: 'quiet', textContent: words.keptCard }),
  ];
}

/** @param {App} app @param {string} name @param {DocumentFragment} part */
function present(app, name, part) {
  if (name !== subject(app).join(' ')) return; // another one was chosen since, or none
  const copy = /** @type {DocumentFragment} */ (part.cloneNode(true));
  copyButtons(copy, app);
  fill(app, name, [copy]);
}

/** @param {App} app @param {string} name @param {string} text @param {() => void} [again] */
function failed(app, name, text, again) {
  if (shown !== name) return;
  const button = node('button', { type: 'button', textContent: app.words.tryAgain });
  button.addEventListener('click', () => again?.());
  fill(app, name, [node('p', { textContent: text }), ...(again ? [button] : [])]);
}
