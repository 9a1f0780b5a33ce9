// A plugin for tests: contents of the type application/x-pairs (lines of name=value), a rule and a generator called `even`, and the
// protocol `pairs`, in which a line with a name is answered by a line with its value. Contents can ask it to misbehave.
import { connect, createServer } from 'node:net'
import { definePlugin, text } from '@contract-testing/plugin'

const begin = process.argv[2]
if (begin === 'exit') {
  console.error('no licence found')
  process.exit(3)
}
if (begin === 'silent') await new Promise(() => setInterval(() => {}, 1000))

const pairs = (body) =>
  Object.fromEntries(
    text(body)
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=')),
  )
const lines = (all) =>
  Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

async function misbehave(wish) {
  if (wish === 'die') {
    console.error('pairs: out of memory')
    process.exit(7)
  }
  if (wish === 'never') await new Promise(() => {})
  if (wish === 'refuse') throw new Error('a value is missing')
}

function part(contents, contentType) {
  if (contents.do === 'huge') return { contents: { contentType, content: Buffer.alloc(100 << 20) } }
  if (contents.bytes !== undefined)
    return { contents: { contentType, content: Buffer.from(contents.bytes, 'base64'), hint: 'binary' } }
  const plain = Object.entries(contents).filter(([name]) => name !== 'do')
  const numbers = plain.filter(([, value]) => value === '{number}').map(([name]) => name)
  const example = plain.map(([name, value]) => [name, value === '{number}' ? '7' : value])
  return {
    contents: { contentType, content: lines(Object.fromEntries(example)), hint: 'text' },
    rules: Object.fromEntries(numbers.map((name) => [name, [contents.do === 'nameless' ? {} : { type: 'integer' }]])),
    generators: Object.fromEntries(numbers.map((name) => [name, { type: 'RandomInt', values: { min: 3, max: 3 } }])),
    metadata: contents.topic === undefined ? undefined : { topic: contents.topic },
    interactionConfiguration: { pairs: Object.fromEntries(example) },
    markup: { text: '**pairs**' },
  }
}

function ask(host, port, name) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(`${name}\n`))
    socket.once('data', (data) => resolve(socket.end() && String(data).trim()))
    socket.once('error', reject)
  })
}

await definePlugin({
  contents: {
    types: ['application/x-pairs'],
    async configure(contents, { contentType }) {
      await misbehave(contents.do)
      const contractConfiguration = { schema: 'pairs-1' }
      if (contents.request === undefined) return { ...part(contents, contentType), contractConfiguration }
      const response = contents.response.map((one) => part(one, contentType))
      return { request: part(contents.request, contentType), response, contractConfiguration }
    },
    async compare({ expected, actual, rules, allowUnexpected }) {
      const [want, came] = [pairs(expected), pairs(actual)]
      await misbehave(came.do)
      if (came.say !== undefined) return [came.say]
      const wrong = Object.entries(want).filter(([name, value]) =>
        rules[name] ? !/^\d+$/.test(came[name]) : came[name] !== value,
      )
      const differences = wrong.map(([name, value]) => ({
        path: name,
        message: `${name} is ${came[name] ?? 'missing'}, not like ${value}`,
        expected: value,
        actual: came[name],
      }))
      const more = allowUnexpected ? [] : Object.keys(came).filter((name) => !(name in want))
      return [...differences, ...more.map((name) => ({ path: name, message: `${name} is not expected` }))]
    },
    async generate({ contents, generators, mode, part, contractConfiguration, interactionConfiguration, testContext }) {
      const all = pairs(contents)
      await misbehave(all.wish)
      for (const [name, { values }] of Object.entries(generators)) all[name] = String(values.max)
      if (all.echo !== undefined) {
        all.echo = [
          mode,
          part,
          contractConfiguration.schema,
          Object.keys(interactionConfiguration),
          Object.keys(testContext),
        ].join('/')
      }
      return { contentType: contents.contentType, content: lines(all) }
    },
  },
  matchers: { even: ({ actual, path }) => (actual % 2 === 0 ? undefined : `${path} is ${actual}, which is not even`) },
  generators: { even: ({ example }) => example * 2 },
  transport: {
    name: 'pairs',
    async start({ port, interactions }) {
      const known = Object.assign(
        {},
        ...interactions.map(({ interactionConfiguration }) => interactionConfiguration.pairs),
      )
      const seen = []
      const server = createServer((socket) => {
        socket.on('data', (data) => {
          const path = String(data).trim()
          if (path === 'die') return void misbehave(path)
          seen.push(known[path] === undefined ? { path, error: `there is no pair ${path}` } : { path })
          socket.write(`${known[path] ?? '?'}\n`)
        })
        socket.on('error', () => {})
      })
      await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
      return {
        port: server.address().port,
        results: () => ({ ok: seen.length > 0 && seen.every(({ error }) => error === undefined), results: seen }),
        stop: () => void server.close(),
      }
    },
    prepare: ({ interactionConfiguration }, { host }) => ({
      body: { contentType: 'text/plain', content: Object.keys(interactionConfiguration.pairs)[0] },
      metadata: { host },
    }),
    async verify({ interactionConfiguration }, { host, port }, { body, metadata }) {
      const want = Object.values(interactionConfiguration.pairs)[0]
      const found = await ask(host, port, text(body))
      const message = `the value is ${found}, not ${want}`
      return {
        mismatches: found === want ? [] : [{ path: 'value', message, expected: want, actual: found }],
        output: [`token ${metadata.token}`],
      }
    },
  },
})
