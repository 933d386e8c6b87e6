// Addresses of this server, which may be below a path of its host.

const base = new URL('../../..', import.meta.url).pathname.replace(/\/$/, ''); // this file is at BASE/map/a/HASH/url.mjs

/** url returns the address of a path of this server. @param {string} path */
export const url = (path) => base + path;
