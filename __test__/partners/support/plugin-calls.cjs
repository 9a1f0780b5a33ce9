// Drives the `words` plugin with @pact-foundation/pact-core: `plugin-calls.cjs PARTNERS DIRECTORY` writes a contract of
// three interactions, `plugin-calls.cjs PARTNERS FILE HTTP WORDS` verifies it, with a provider on one port for each
// protocol.
const { createRequire } = require('node:module')
const { connect } = require('node:net')

const [folder, path, http, words] = process.argv.slice(2)
const core = createRequire(`${folder}/package.json`)('pact-core-20')
const type = 'application/x-words'

/** SPECIFICATION_VERSION_V4. */
const V4 = 5
const plugin = (pact) => pact.addPluginWithDelay('words', '0.1.0', 200)
const must = (done, what) => {
  if (!done) throw new Error(what)
}

async function overHttp() {
  const pact = core.makeConsumerPact('web', 'shop', V4, 'error')
  plugin(pact)
  const interaction = pact.newInteraction('some words')
  interaction.uponReceiving('some words')
  interaction.withRequest('PUT', '/colour')
  interaction.withPluginRequestInteractionContents(type, JSON.stringify({ words: 'red green' }))
  interaction.withStatus(200)
  interaction.withPluginResponseInteractionContents(type, JSON.stringify({ words: 'blue', random: 'yes' }))
  const port = pact.createMockServer('127.0.0.1', 0)
  const headers = { 'content-type': type }
  const answer = await fetch(`http://127.0.0.1:${port}/colour`, { method: 'PUT', body: 'green red', headers })
  must(answer.ok, await answer.text())
  must(pact.mockServerMatchedSuccessfully(port), JSON.stringify(pact.mockServerMismatches(port)))
  pact.writePactFile(path)
  pact.cleanupMockServer(port)
  pact.cleanupPlugins()
}

function message() {
  const pact = core.makeConsumerMessagePact('web', 'shop', V4, 'error')
  plugin(pact)
  const message = pact.newAsynchronousMessage('an event')
  message.expectsToReceive('an event')
  message.withPluginRequestInteractionContents(type, JSON.stringify({ words: 'red', topic: 'colours' }))
  must(String(message.getRequestContents()) === 'red', 'the contents are others')
  pact.writePactFile(path)
  pact.cleanupPlugins()
}

async function transport() {
  const pact = core.makeConsumerMessagePact('web', 'shop', V4, 'error')
  plugin(pact)
  const message = pact.newSynchronousMessage('a question')
  const contents = { request: { words: 'red' }, response: [{ words: 'green' }] }
  message.withPluginRequestResponseInteractionContents(type, JSON.stringify(contents))
  const port = pact.pactffiCreateMockServerForTransport('127.0.0.1', 'words', '')
  const answer = await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('red\n'))
    socket.once('data', (data) => resolve(String(data).trim()))
    socket.once('error', reject)
  })
  must(answer === 'green', `the answer is ${answer}`)
  must(pact.mockServerMatchedSuccessfully(port), 'not matched')
  pact.writePactFileForPluginServer(port, path)
  pact.cleanupMockServer(port)
  pact.cleanupPlugins()
}

async function verify() {
  await core.default.verifyPacts({
    provider: 'shop',
    providerBaseUrl: `http://127.0.0.1:${http}`,
    pactUrls: [path],
    logLevel: 'error',
    transports: [{ protocol: 'words', port: Number(words), scheme: 'words', path: '' }],
  })
}

const run = async () => {
  if (http !== undefined) return verify()
  await overHttp()
  message()
  await transport()
}
run().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
