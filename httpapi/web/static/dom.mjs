// Small helpers for elements. Texts are never read as markup.

/**
 * node makes an element with properties and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Partial<HTMLElementTagNameMap[K]>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function node(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

/**
 * attributes sets attributes and returns the element.
 * @template {Element} E
 * @param {E} e
 * @param {Record<string, string>} values
 */
export function attributes(e, values) {
  for (const [name, value] of Object.entries(values)) e.setAttribute(name, value);
  return e;
}

/**
 * element returns an element of the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function element(id) {
  const e = document.getElementById(id);
  if (!e) throw new Error('the page has no #' + id);
  return e;
}

const particles = /^(?:de|du|des|la|le|les|et|en|au|aux|sur|sous|chez|lez|lès|d|l)$/;

/**
 * readable writes a text of a register that is all capitals with small letters. The server spells names
 * on its pages with more care.
 * @param {string} text
 */
export function readable(text) {
  if (text !== text.toUpperCase()) return text;
  return text
    .toLowerCase()
    .replace(/\p{L}+/gu, (word, at) => (at > 0 && particles.test(word) ? word : word[0].toUpperCase() + word.slice(1)));
}

/** copyIcon draws two sheets; fonts do not have the sign everywhere. */
export function copyIcon() {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M9 9h11v11H9zM15 9V4H4v11h5');
  for (const [name, value] of Object.entries({
    viewBox: '0 0 24 24',
    width: '18',
    height: '18',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  }))
    svg.setAttribute(name, value);
  svg.append(path);
  return svg;
}

/** color returns a colour of tokens.css, or another value that is there. @param {string} name */
export function color(name) {
  const text = getComputedStyle(document.documentElement)
    .getPropertyValue('--' + name)
    .trim();
  const [, light, dark] = /^light-dark\((.+), (.+)\)$/.exec(text) ?? [];
  return (isDark() ? dark : light) ?? text;
}

/** @type {Map<string, string>} */
const saved = new Map();

/**
 * remembered reads a setting. A browser may refuse storage: then it lasts until the page is left.
 * @param {() => Storage} area @param {string} name
 */
export function remembered(area, name) {
  try {
    return area().getItem(name) ?? '';
  } catch {
    return saved.get(name) ?? '';
  }
}

/** remember keeps a setting. @param {() => Storage} area @param {string} name @param {string} value */
export function remember(area, name, value) {
  saved.set(name, value);
  try {
    area().setItem(name, value);
  } catch {
    /* see remembered */
  }
}

const scheme = matchMedia('(prefers-color-scheme: dark)');

/** isDark reports whether the page is dark: as the reader chose, or as the browser asks. */
export function isDark() {
  const chosen = getComputedStyle(document.documentElement).colorScheme;
  return chosen === 'dark' || (chosen !== 'light' && scheme.matches);
}

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
export const isPhone = () => matchMedia('(max-width: 700px)').matches;

/**
 * copyText puts a text on the clipboard. Pages of plain HTTP have only the old way.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    /* the old way */
  }
  const field = node('textarea', { value: text, readOnly: true, className: 'unseen' });
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
