// Lints OpenAPI documents with Redocly's recommended rules and some more. Prints what it finds; the status is 1 if that is
// anything.
const { createConfig, lint } = require(process.env.RELAIS_NPM + '/@redocly/openapi-core');

const rules = Object.fromEntries([
  'no-invalid-parameter-examples', 'no-invalid-media-type-examples', 'no-invalid-schema-examples', 'operation-operationId',
].map((rule) => [rule, 'error']));
const groups = { 'operation-description': 'error', 'operation-tag-defined': 'error', 'tag-description': 'error' };

async function main() {
  for (const ref of process.argv.slice(2)) {
    const more = ref.endsWith('openapi.json') ? groups : {};
    const config = await createConfig({ extends: ['recommended'], rules: { ...rules, ...more } });
    for (const p of await lint({ ref, config })) {
      console.log(`${ref}: ${p.severity} ${p.ruleId}: ${p.message} (${p.location[0]?.pointer})`);
      process.exitCode = 1;
    }
  }
}

main();
