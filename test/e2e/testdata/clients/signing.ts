import { createHash, createHmac } from 'node:crypto';

// setting is what the test says by an environment variable.
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

// signature is the value of X-Sq-Signature for a request.
export function signature(method: string, url: string, body: Uint8Array | string): string {
  const t = Math.floor(Date.now() / 1000);
  const digest = createHash('sha256').update(body).digest('hex');
  const payload = [t, method, new URL(url).pathname, digest].join('\n');
  return `t=${t},v1=${createHmac('sha256', setting('SECRET')).update(payload).digest('hex')}`;
}

// Headers that a request leaves out.
export type Without = 'X-Sq-Signature' | 'X-Device-Attestation' | undefined;
