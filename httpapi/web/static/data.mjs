// Requests to this server. With --map key each of them carries the reader's key.
import { url } from './url.mjs';

/** A Refusal is an answer that is an error. */
export class Refusal extends Error {
  /** @param {number} status @param {string} code @param {number} wait seconds until another try */
  constructor(status, code, wait) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.wait = wait;
  }
}

let key = '';
/** @type {(refusal: Refusal) => void} */
let refused = () => {};

/** useKey sets the key of all requests. @param {string} value */
export function useKey(value) {
  key = value;
}

/** onRefusal is called when the server wants another key. @param {(refusal: Refusal) => void} f */
export function onRefusal(f) {
  refused = f;
}

const [data, assets] = [url('/map/'), url('/map/a/')].map((path) => location.origin + path);
const needsKey = (/** @type {string} */ address) =>
  key !== '' && address.startsWith(data) && !address.startsWith(assets);

/**
 * transformRequest adds the key to requests of MapLibre, also to those of its workers.
 * @param {string} address
 */
export function transformRequest(address) {
  return needsKey(address) ? { url: address, headers: { 'X-API-Key': key } } : { url: address };
}

/**
 * ask reads JSON of a route below /map. An empty value is not sent.
 * @param {string} path
 * @param {Record<string, string | number | undefined>} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, query = {}, signal) {
  const address = new URL(url('/map' + path), location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') address.searchParams.set(name, String(value));
  }
  const answer = await fetch(address, { signal, headers: transformRequest(address.href).headers });
  if (answer.ok) return answer.json();
  const body = await answer.json().catch(() => ({}));
  const refusal = new Refusal(
    answer.status,
    String(body.error?.code ?? body.code ?? ''),
    Number(answer.headers.get('Retry-After')) || 0,
  );
  if (isKeyTrouble(refusal)) refused(refusal);
  throw refusal;
}

/** lacksScope reports whether a good key is not for the data that were asked for. @param {unknown} e */
export const lacksScope = (e) => e instanceof Refusal && e.code === 'INSUFFICIENT_SCOPE';

/** isKeyTrouble reports whether nothing works without another key. @param {Refusal} r */
export const isKeyTrouble = (r) => (r.status === 401 || r.status === 403) && !lacksScope(r);

/** aborted reports whether nobody waits for an answer any more. @param {unknown} e */
export const aborted = (e) => e instanceof DOMException && e.name === 'AbortError';

/**
 * explain says in words what went wrong.
 * @param {unknown} e @param {import('./types.d.ts').Words} words
 */
export function explain(e, words) {
  if (e instanceof Refusal && e.status === 429) return words.tooManyRequests;
  if (e instanceof Refusal && e.status === 503) return words.later;
  if (lacksScope(e)) return words.noAccess;
  if (e instanceof Refusal && isKeyTrouble(e)) return words['key_' + e.code] ?? words.keyRefused;
  return words.noAnswer;
}
