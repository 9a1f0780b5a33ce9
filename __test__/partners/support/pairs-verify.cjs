// Verifies contracts with @pact-foundation/pact: `node pairs-verify.cjs FOLDER-OF-PACT URL FILE …`. Prints the verdict of each
// interaction by file and description, as JSON; a file that cannot be read has `unreadable` and the reason.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, url, ...files] = process.argv.slice(2)
const { Verifier } = createRequire(join(folder, 'package.json'))('@pact-foundation/pact')

async function verdicts(file) {
  const options = { provider: 'users', providerBaseUrl: url, pactUrls: [file], logLevel: 'error', timeout: 10_000 }
  const stateHandlers = { 'a user': async () => ({ id: 7 }) }
  const text = await new Verifier({ ...options, stateHandlers }).verifyProvider().catch((error) => error.message)
  const { interactionResults, errors } = JSON.parse(text)
  if (interactionResults.length === 0) return { unreadable: errors[0]?.mismatch.message ?? text }
  return Object.fromEntries(
    interactionResults.map(({ description, result }) => [description, result === 'OK' ? 'passed' : 'failed']),
  )
}

async function main() {
  const all = {}
  for (const file of files) all[file] = await verdicts(file)
  console.log(`\n${JSON.stringify(all)}`)
}

main()
