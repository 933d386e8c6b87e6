// A program that signs in with the OAuth client of the official TypeScript SDK: node sign-in.mjs SDK SERVER.
// It does the steps that it reads, a JSON object a line, and answers each with what it keeps.
import { createInterface } from "node:readline";

const [sdk, server] = process.argv.slice(2);
const { auth } = await import(`${sdk}/client/auth.js`);
const { Client } = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);

class Program {
  constructor(kept) { this.kept = kept; }
  get redirectUrl() { return this.kept.redirect; }
  get clientMetadata() { return this.kept.metadata; }
  clientInformation() { return this.kept.information; }
  saveClientInformation(information) { this.kept.information = information; }
  tokens() { return this.kept.tokens; }
  saveTokens(tokens) { this.kept.tokens = tokens; }
  codeVerifier() { return this.kept.verifier; }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier; }
  redirectToAuthorization(url) { this.kept.page = url.href; }
}

const steps = {
  begin: (program) => auth(program, { serverUrl: server }),
  finish: (program, code) => auth(program, { serverUrl: server, authorizationCode: code }),
  refresh: (program) => auth(program, { serverUrl: server }),
  async call(program) {
    const client = new Client({ name: "program", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(server), { authProvider: program }));
    const answer = await client.callTool({ name: "me_whoami", arguments: {} });
    await client.close();
    return answer.structuredContent.name;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { step, kept, code } = JSON.parse(line);
  const program = new Program(kept);
  let result, error;
  try {
    result = await steps[step](program, code);
  } catch (e) {
    error = String(e);
  }
  process.stdout.write(JSON.stringify({ result, error, kept: program.kept }) + "\n");
}
