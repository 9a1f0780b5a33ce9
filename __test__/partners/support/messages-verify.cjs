// Verifies message contracts with @pact-foundation/pact: `node messages-verify.cjs FOLDER-OF-PACT FILE` with handlers in its
// own process, `… FILE PORT` with the endpoint on that port. Prints the verdict of each interaction by its description.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, file, port] = process.argv.slice(2)
const { MessageProviderPact, Verifier, providerWithMetadata } = createRequire(join(folder, 'package.json'))(
  '@pact-foundation/pact',
)
const common = { provider: 'orders', pactUrls: [file], logLevel: 'error' }

function inProcess() {
  return new MessageProviderPact({
    ...common,
    stateHandlers: { 'an order exists': async () => {} },
    messageProviders: {
      'an order was placed': providerWithMetadata(() => ({ id: 9, total: 2.5 }), { topic: 'orders', partition: 1 }),
      'an order was cancelled': providerWithMetadata(() => ({ id: 'nine' }), { topic: 'orders' }),
      'an order was sent': providerWithMetadata(() => ({ id: 9 }), { topic: 'bills' }),
      'a question': () => ({ days: 3 }),
    },
  }).verify()
}

function overHttp() {
  return new Verifier({
    ...common,
    providerBaseUrl: `http://127.0.0.1:${port}`,
    transports: [{ protocol: 'message', port: Number(port), path: '/_messages', scheme: 'http' }],
  }).verifyProvider()
}

const run = port === undefined ? inProcess() : overHttp()
run
  .catch((error) => error.message ?? error)
  .then((text) => {
    const results = JSON.parse(text).interactionResults
    const verdicts = results.map(({ description, result }) => [description, result === 'OK' ? 'passed' : 'failed'])
    console.log(JSON.stringify(Object.fromEntries(verdicts)))
  })
