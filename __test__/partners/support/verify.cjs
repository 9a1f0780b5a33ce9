// Verifies a contract with @pact-foundation/pact: `node verify.cjs FOLDER-OF-PACT FILE URL`. Prints the verdict of each
// interaction by its description, as JSON.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, file, url] = process.argv.slice(2)
const { Verifier } = createRequire(join(folder, 'package.json'))('@pact-foundation/pact')

const options = { provider: 'users', providerBaseUrl: url, pactUrls: [file], logLevel: 'error', timeout: 10_000 }
new Verifier(options)
  .verifyProvider()
  .catch((error) => error.message)
  .then((text) => {
    const results = JSON.parse(text).interactionResults
    const verdicts = results.map(({ description, result }) => [description, result === 'OK' ? 'passed' : 'failed'])
    console.log(JSON.stringify(Object.fromEntries(verdicts)))
  })
