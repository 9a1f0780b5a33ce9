// A plugin on @grpc/grpc-js, without code of this project: contents of the type application/x-words (words in a line,
// in any order), and the transport `words` (a line of words is answered with a line of words). It records each call
// that it receives as JSON. `grpc-plugin.cjs PARTNERS PROTOS INTERFACE`.
const { appendFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { connect, createServer } = require('node:net')
const [partners, protos, version] = process.argv.slice(2)
const required = createRequire(`${partners}/package.json`)
const grpc = required('@grpc/grpc-js')
const loader = required('@grpc/proto-loader')

const key = 'key-of-the-grpc-plugin'
const file = version === '2' ? 'plugin_v2.proto' : 'plugin.proto'
const definition = loader.loadSync(file, { includeDirs: [protos], keepCase: false, defaults: false })
const service = definition[version === '2' ? 'io.pact.plugin.v2.PactPlugin' : 'io.pact.plugin.PactPlugin']

const fromValue = (value) => {
  if (value.structValue) return fromStruct(value.structValue)
  if (value.listValue) return (value.listValue.values ?? []).map(fromValue)
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null
}
const fromStruct = (struct) =>
  Object.fromEntries(Object.entries(struct?.fields ?? {}).map(([name, value]) => [name, fromValue(value)]))
const toValue = (value) =>
  typeof value === 'string' ? { stringValue: value } : typeof value === 'number' ? { numberValue: value } : {}
const toStruct = (object) => ({
  fields: Object.fromEntries(Object.entries(object).map(([name, value]) => [name, toValue(value)])),
})

/** A request as JSON: structs are objects, bytes are text. */
function plain(value) {
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value)
  if (names.length === 1 && names[0] === 'fields') return fromStruct(value)
  if (names.length === 1 && names[0] === 'value' && Buffer.isBuffer(value.value)) return plain(value.value)
  return Object.fromEntries(names.map((name) => [name, plain(value[name])]))
}

const words = (body) =>
  String(body?.content?.value ?? '')
    .split(/\s+/)
    .filter(Boolean)
const body = (contentType, text) => ({ contentType, content: { value: Buffer.from(text) } })
const types = { 'content-types': 'application/x-words' }
const catalogue = [
  { type: 'CONTENT_MATCHER', key: 'words', values: types },
  { type: 'CONTENT_GENERATOR', key: 'words', values: types },
  { type: 'TRANSPORT', key: 'words', values: {} },
]

/** The result of a part of the user's configuration: `{ words, topic?, random? }`. */
function part(given, contentType, partName, more) {
  const kept = { count: 3, words: given.words, ...more }
  return {
    contents: body(contentType, given.words),
    rules: { $: { rule: [{ type: 'type' }] } },
    generators: given.random ? { $: { type: 'RandomInt', values: toStruct({ min: 1, max: 9 }) } } : {},
    messageMetadata: given.topic ? toStruct({ topic: given.topic }) : undefined,
    pluginConfiguration: { interactionConfiguration: toStruct(kept) },
    interactionMarkup: '**words**',
    partName,
  }
}

function configure(contentType, given) {
  if (given.request === undefined) return [part(given, contentType, '', {})]
  const response = [given.response].flat()
  const more = { ask: given.request.words, answer: response[0].words }
  return [
    part(given.request, contentType, 'request', more),
    ...response.map((one) => part(one, contentType, 'response', more)),
  ]
}

/**
 * The stored data of the interactions in a request: the first version sends the contract, the second the
 * configurations.
 */
function kept(request) {
  if (version === '2') {
    const all = request.interactions ?? [request.interactionContents]
    return all.map((one) => fromStruct(one.pluginConfiguration.interactionConfiguration))
  }
  const { interactions } = JSON.parse(request.pact)
  return interactions
    .filter((one) => request.interactionKey === undefined || one.key === request.interactionKey)
    .flatMap((one) => (one.pluginConfiguration?.words?.ask ? [one.pluginConfiguration.words] : []))
}

const servers = new Map()
function start(request, done) {
  const known = kept(request)
  const results = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const path = String(data).trim()
      const found = known.find(({ ask }) => ask === path)
      results.push(found ? { path } : { path, error: `nobody expected ${path}` })
      socket.end(`${found?.answer ?? '?'}\n`)
    })
  })
  server.listen(request.port ?? 0, '127.0.0.1', () => {
    const { port } = server.address()
    servers.set(`words-${port}`, { server, results })
    done({ details: { key: `words-${port}`, port, address: '127.0.0.1' } })
  })
}

function results({ serverKey }) {
  const { results } = servers.get(serverKey)
  return { ok: results.length > 0 && results.every(({ error }) => error === undefined), results }
}

function stop(request) {
  servers.get(request.serverKey).server.close()
  return results(request)
}

function verify(request, done) {
  const [{ answer }] = kept(request)
  const { host, port } = fromStruct(request.config)
  const socket = connect(port, host ?? '127.0.0.1', () =>
    socket.write(`${words(request.interactionData.body).join(' ')}\n`),
  )
  socket.once('error', (error) => done({ error: error.message }))
  socket.once('data', (data) => {
    const found = String(data).trim()
    socket.end()
    const mismatch = {
      mismatch: `${found} came, not ${answer}`,
      path: '$',
      expected: { value: Buffer.from(answer) },
      actual: { value: Buffer.from(found) },
    }
    done({
      result: { success: found === answer, mismatches: found === answer ? [] : [{ mismatch }], output: ['asked'] },
    })
  })
}

const answers = {
  initPlugin: () => (version === '2' ? { success: { catalogue } } : { catalogue }),
  updateCatalogue: () => ({}),
  configureInteraction: ({ contentType, contentsConfig }) => ({
    interaction: configure(contentType, fromStruct(contentsConfig)),
    pluginConfiguration: { pactConfiguration: toStruct({ schema: 'first' }) },
  }),
  compareContents: ({ expected, actual }) => {
    const missing = words(expected).filter((word) => !words(actual).includes(word))
    const mismatches = missing.map((word) => ({
      mismatch: `the word ${word} is missing`,
      path: '$',
      expected: { value: Buffer.from(word) },
    }))
    return { results: { $: { mismatches } } }
  },
  generateContent: ({ contents }) => ({ contents }),
  startMockServer: start,
  getMockServerResults: results,
  shutdownMockServer: stop,
  prepareInteractionForVerification: (request) => ({
    interactionData: {
      body: body('application/x-words', kept(request)[0].ask),
      metadata: { 'x-by': { nonBinaryValue: toValue('words') } },
    },
  }),
  verifyInteraction: verify,
}
/** Requests that are answered later. */
const later = new Set(['startMockServer', 'verifyInteraction'])

const handlers = {}
for (const [name, method] of Object.entries(service)) {
  const call = name[0].toLowerCase() + name.slice(1)
  handlers[name] = (given, done) => {
    if (given.metadata.get('authorization')[0] !== key) return done({ code: grpc.status.UNAUTHENTICATED })
    const request = plain(given.request)
    if (request.pact !== undefined) request.pact = JSON.parse(request.pact)
    const said = {
      call,
      request,
      metadata: Object.keys(given.metadata.getMap()).sort(),
      deadline: given.getDeadline() !== Infinity,
    }
    appendFileSync('calls.jsonl', `${JSON.stringify(said)}\n`)
    const answer = answers[call]
    if (answer === undefined) return done({ code: grpc.status.UNIMPLEMENTED, details: method.path })
    if (later.has(call)) return answer(given.request, (answered) => done(null, answered))
    done(null, answer(given.request))
  }
}

const server = new grpc.Server()
server.addService(service, handlers)
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  console.log(JSON.stringify({ port, serverKey: key }))
})
