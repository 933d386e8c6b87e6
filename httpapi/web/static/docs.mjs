// What the documentation does with scripts: it searches itself, copies its examples, and writes the reader's key into
// them. Without scripts it is a page of text.
import { copyText, element, node } from './dom.mjs';

const said = element('said'),
  texts = said.dataset,
  input = /** @type {HTMLInputElement} */ (element('find').querySelector('input'));
const all = (/** @type {string} */ selector, /** @type {ParentNode} */ within = document) =>
  /** @type {HTMLElement[]} */ ([...within.querySelectorAll(selector)]);

/** folded is a text without accents and capitals. @param {string | null} text */
const folded = (text) => (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

// Of an operation the code counts little: five languages have the same words everywhere.
const sections = all('main section').map((section) => ({
  section,
  title: folded(section.querySelector('h2, h3')?.textContent ?? ''),
  text: folded(
    section.matches('.operation')
      ? all('h3, p, .params, .members', section).map((e) => e.textContent).join(' ')
      : section.textContent,
  ),
}));
const parts = all('main .part'),
  links = all('.contents a[href^="#"]');

/** search shows the sections that have all words of a text. @param {string} text */
function search(text) {
  const wanted = folded(text).split(/\s+/).filter(Boolean),
    shown = new Set();
  for (const { section, text } of sections) {
    section.hidden = !wanted.every((w) => text.includes(w));
    if (!section.hidden) shown.add(partOf(section));
  }
  for (const part of parts) part.hidden = wanted.length > 0 && !shown.has(part);
  for (const a of links) {
    const li = a.closest('li');
    if (li) li.hidden = Boolean(targetOf(a.getAttribute('href') ?? '')?.closest('[hidden]'));
  }
  document.body.toggleAttribute('data-searching', wanted.length > 0);
  const n = sections.filter(({ section }) => !section.hidden).length;
  said.textContent = wanted.length === 0 ? '' : n > 0 ? (texts.found ?? '').replace('{n}', String(n)) : (texts.nothing ?? '');
  return wanted;
}

/** partOf is the heading above a section. @param {Element} section */
const partOf = (section) =>
  parts.findLast((p) => p.compareDocumentPosition(section) & Node.DOCUMENT_POSITION_FOLLOWING);

/** @param {string} hash */
const targetOf = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));

function clear() {
  input.value = '';
  search('');
}

input.addEventListener('input', () => {
  search(input.value);
  scrollTo(0, 0);
});
input.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') clear();
  if (e.key !== 'Enter') return;
  const wanted = search(input.value),
    found = sections.filter(({ section }) => section.id && !section.hidden);
  const best = found.find(({ title }) => wanted.every((w) => title.includes(w))) ?? found[0];
  if (wanted.length === 0 || !best) return;
  clear();
  location.hash = best.section.id;
  best.section.scrollIntoView();
});
addEventListener('keydown', (e) => {
  if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /** @type {Element} */ (e.target).closest('input')) return;
  e.preventDefault();
  input.focus();
});
// a link may lead to what the search hides
addEventListener('hashchange', () => {
  if (!targetOf(location.hash)?.closest('[hidden]')) return;
  clear();
  targetOf(location.hash)?.scrollIntoView();
});
element('find').hidden = false;

for (const pre of all('main pre')) {
  const button = node('button', { type: 'button', className: 'copy', textContent: texts.copy });
  button.addEventListener('click', async () => {
    if (!(await copyText(pre.textContent ?? ''))) {
      getSelection()?.selectAllChildren(pre); // for the reader's own keys
      return;
    }
    button.textContent = said.textContent = texts.copied ?? '';
    setTimeout(() => {
      button.textContent = texts.copy ?? '';
      if (said.textContent === texts.copied) said.textContent = '';
    }, 2000);
  });
  const box = node('div', { className: 'copyable' });
  pre.replaceWith(box);
  box.append(pre, button);
}

// The key stays in the page: the field is in no form and has no name.
const own = document.getElementById('own'),
  codes = all('main pre code').map((code) => ({ code, text: code.textContent ?? '' }));
const variables = /process\.env\.KEY|os\.environ\["KEY"\]|ProcessInfo\.processInfo\.environment\["KEY"\]!|System\.getenv\("KEY"\)/g;
if (own) {
  own.hidden = false;
  own.querySelector('input')?.addEventListener('input', (e) => {
    const key = /** @type {HTMLInputElement} */ (e.target).value.trim();
    for (const { code, text } of codes) {
      const filled = /^[\w-]{1,200}$/.test(key)
        ? text.replace(/YOUR_KEY|rk_…|\$KEY/g, key).replace(variables, JSON.stringify(key))
        : text;
      if (filled !== code.textContent) code.textContent = filled;
    }
  });
}
