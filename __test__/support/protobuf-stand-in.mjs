// Replaces the Protobuf plugin in tests of documents: it has the same name, types and transport, with JSON over TCP.
import { connect, createServer } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { definePlugin } from '@contract-testing/plugin'

const value = (given) => Number(/^matching\(number, (\d+)\)$/.exec(given)?.[1])
const json = (given) =>
  JSON.stringify(Object.fromEntries(Object.entries(given).map(([name, one]) => [name, value(one)])))
const answerOf = ({ interactionConfiguration }) => interactionConfiguration.response

await definePlugin({
  contents: {
    types: ['application/protobuf'],
    configure(contents, { contentType }) {
      const part = (given) => ({
        contents: { contentType, content: json(given), hint: 'text' },
        interactionConfiguration: { request: json(contents.request), response: json(contents.response) },
      })
      return { request: part(contents.request), response: part(contents.response) }
    },
    compare: ({ expected, actual }) =>
      String(expected.content) === String(actual.content) ? [] : ['the messages differ'],
  },
  transport: {
    name: 'grpc',
    async start({ port, interactions: [{ interactionConfiguration }] }) {
      const requests = []
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', (data) => {
          const isExpected = isDeepStrictEqual(JSON.parse(data), JSON.parse(interactionConfiguration.request))
          requests.push(isExpected ? { path: 'calculate' } : { path: 'calculate', error: `unexpected request ${data}` })
          socket.end(isExpected ? interactionConfiguration.response : '{}')
        })
      })
      await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
      return {
        port: server.address().port,
        results: () => ({ ok: requests.length > 0 && requests.every(({ error }) => !error), results: requests }),
        stop: () => void server.close(),
      }
    },
    prepare: ({ interactionConfiguration }) => ({
      body: { contentType: 'application/protobuf', content: interactionConfiguration.request },
      metadata: {},
    }),
    async verify(interaction, { host, port }, { body }) {
      const received = await new Promise((resolve, reject) => {
        const socket = connect(port, host, () => socket.write(body.content))
        socket.once('data', (data) => resolve(String(data)))
        socket.once('error', reject)
      })
      const expected = answerOf(interaction)
      const mismatches =
        received === expected ? [] : [{ path: '$', message: 'the messages differ', expected, actual: received }]
      return { mismatches, output: [`calculate returned ${received}`] }
    },
  },
})
