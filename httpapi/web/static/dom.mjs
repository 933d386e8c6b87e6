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

/** color returns a colour of tokens.css. @param {string} name */
export const color = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

/** @type {Map<string, string>} */
const saved = new Map();

/**
 * remembered reads a setting. A browser may refuse storage: then it lasts until the page is left.
 * @param {() => Storage} area @param {string} name
 */
export function remembered(area, name) {
  try { return area().getItem(name) ?? ''; } catch { return saved.get(name) ?? ''; }
}

/** remember keeps a setting. @param {() => Storage} area @param {string} name @param {string} value */
export function remember(area, name, value) {
  saved.set(name, value);
  try { area().setItem(name, value); } catch { /* see remembered */ }
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
  } catch { /* the old way */ }
  const field = node('textarea', { value: text, readOnly: true, className: 'unseen' });
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
