// A plugin on @grpc/grpc-js, which is no stack of ours: contents of the type application/x-words (words in a line, in any order).
// It writes down each call that it gets. `grpc-plugin.cjs PARTNERS PROTOS INTERFACE`.
const { appendFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const [partners, protos, version] = process.argv.slice(2)
const required = createRequire(`${partners}/package.json`)
const grpc = required('@grpc/grpc-js')
const loader = required('@grpc/proto-loader')

const key = 'key-of-the-grpc-plugin'
const file = version === '2' ? 'plugin_v2.proto' : 'plugin.proto'
const definition = loader.loadSync(file, { includeDirs: [protos], keepCase: false, defaults: false })
const service = definition[version === '2' ? 'io.pact.plugin.v2.PactPlugin' : 'io.pact.plugin.PactPlugin']

const words = (body) =>
  String(body?.content?.value ?? '')
    .split(/\s+/)
    .filter(Boolean)
const catalogue = [{ type: 'CONTENT_MATCHER', key: 'words', values: { 'content-types': 'application/x-words' } }]

const answers = {
  initPlugin: () => (version === '2' ? { success: { catalogue } } : { catalogue }),
  updateCatalogue: () => ({}),
  configureInteraction: ({ contentType, contentsConfig }) => ({
    interaction: [
      {
        contents: { contentType, content: { value: Buffer.from(contentsConfig.fields.words.stringValue) } },
        rules: { $: { rule: [{ type: 'type' }] } },
        pluginConfiguration: { interactionConfiguration: { fields: { count: { numberValue: 3 } } } },
      },
    ],
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
}

const handlers = {}
for (const [name, method] of Object.entries(service)) {
  const call = name[0].toLowerCase() + name.slice(1)
  handlers[name] = (given, done) => {
    if (given.metadata.get('authorization')[0] !== key) return done({ code: grpc.status.UNAUTHENTICATED })
    appendFileSync('calls.jsonl', `${JSON.stringify({ call, request: given.request })}\n`)
    const answer = answers[call]
    if (answer === undefined) return done({ code: grpc.status.UNIMPLEMENTED, details: method.path })
    done(null, answer(given.request))
  }
}

const server = new grpc.Server()
server.addService(service, handlers)
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  console.log(JSON.stringify({ port, serverKey: key }))
})
