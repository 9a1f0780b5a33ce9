// A plugin that behaves like the published plugin `matt`, on `node:http2` and with its own parser for the wire format:
// contents of the type application/matt and the TCP transport `matt`. Mismatches of its mock server are in
// GetMockServerResults only; `ok` is false there even without mismatches, and ShutdownMockServer always returns `ok:
// true`. Arguments: `once` reports each failure once; `unimplemented` has no GetMockServerResults; `hangs` responds to
// the second UpdateCatalogue once a file `go` exists, and records in the `state` file whether the host was still
// waiting.

import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { createServer as createHttp2Server } from 'node:http2'
import { connect, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const mode = process.argv[2]

// The wire format: fields with a length, numbers, and messages of them.
const varint = (value) => {
  const bytes = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  return Buffer.from([...bytes, value])
}
const field = (number, value) => {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}
const message = (...fields) => Buffer.concat(fields)

/** The fields of a message: `[number, value]`. */
function* read(bytes) {
  let at = 0
  const number = () => {
    let [value, factor] = [0, 1]
    for (; bytes[at] > 127; factor *= 128) value += (bytes[at++] & 127) * factor
    return value + bytes[at++] * factor
  }
  while (at < bytes.length) {
    const tag = number()
    if (tag % 8 === 0) yield [tag >> 3, number()]
    else {
      const length = tag % 8 === 1 ? 8 : number()
      at += length
      yield [tag >> 3, bytes.subarray(at - length, at)]
    }
  }
}
const get = (bytes, number) => [...read(bytes)].filter(([found]) => found === number).map(([, value]) => value)
const text = (bytes, number) => String(get(bytes, number)[0] ?? '')
const struct = (bytes) =>
  Object.fromEntries(get(bytes, 1).map((entry) => [text(entry, 1), value(get(entry, 2)[0] ?? Buffer.alloc(0))]))
function value(bytes) {
  for (const [number, found] of read(bytes)) {
    if (number === 2) return found.readDoubleLE(0)
    if (number === 3) return String(found)
    if (number === 5) return struct(found)
  }
  return null
}

const frame = (words) => `MATT${words}MATT`
const body = (words) => message(field(1, 'application/matt'), field(2, field(1, frame(words))), field(3, 1))
const mismatch = (expected, actual, words = `expected "${expected}" but received "${actual}"`) =>
  message(field(1, field(1, expected)), field(2, field(1, actual)), field(3, words), field(4, '$'))
const entry = (type, key, types) =>
  field(1, message(field(1, type), field(2, key), field(3, message(field(1, 'content-types'), field(2, types)))))
const contents = (interaction, part) => interaction[part]?.contents ?? interaction[part]?.[0]?.contents ?? {}
const interactions = (pact) => JSON.parse(pact).interactions

const servers = new Map()
function start(pact) {
  const expected = interactions(pact).map((one) => [
    contents(one, 'request').content,
    contents(one, 'response').content,
  ])
  const failures = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const found = expected.find(([request]) => request === String(data))
      if (found === undefined) failures.push(message(field(1, 'message'), field(3, mismatch(expected[0][0], data))))
      socket.end(found?.[1] ?? 'unexpected')
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const key = randomUUID()
      servers.set(key, { server, failures })
      resolve(field(2, message(field(1, key), field(2, server.address().port), field(3, '127.0.0.1'))))
    })
  })
}

function exchange(host, port, sent) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(sent))
    let received = ''
    socket.on('data', (data) => (received += data))
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
}

let updates = 0
const ofKey = (pact, key) => interactions(pact).find((one) => one.key === key)
const calls = {
  InitPlugin: () => {
    console.error(`log level ${process.env.LOG_LEVEL}`)
    const types = 'application/matt'
    return message(entry(0, 'matt', types), entry(1, 'matt', types), entry(2, 'matt', ''))
  },
  async UpdateCatalogue(_, stream) {
    updates += 1
    if (mode === 'hangs' && updates > 1) {
      while (!existsSync('go')) await setTimeout(5)
      writeFileSync('writing', stream.closed || stream.destroyed ? 'cancelled' : 'answered')
      renameSync('writing', 'state')
    }
    return message()
  },
  ConfigureInteraction(request) {
    const config = struct(get(request, 2)[0])
    const part = (name) => field(2, message(field(1, body(config[name].body)), field(8, name)))
    return message(...['request', 'response'].filter((name) => config[name] !== undefined).map(part))
  },
  CompareContents(request) {
    const [expected, actual] = [1, 2].map((part) => text(get(get(request, part)[0], 2)[0] ?? Buffer.alloc(0), 1))
    if (expected === actual) return message()
    return field(3, message(field(1, '$'), field(2, field(1, mismatch(expected, actual)))))
  },
  StartMockServer: (request) => start(text(request, 4)),
  GetMockServerResults(request) {
    const { failures } = servers.get(text(request, 1))
    const answer = message(...failures.map((failure) => field(2, failure)))
    if (mode === 'once') failures.length = 0
    return answer
  },
  ShutdownMockServer(request) {
    servers.get(text(request, 1))?.server.close()
    return field(1, 1)
  },
  PrepareInteractionForVerification(request) {
    const words = contents(ofKey(text(request, 1), text(request, 2)), 'request').content
    return field(2, field(1, body(words.slice(4, -4))))
  },
  async VerifyInteraction(request) {
    const { host, port } = struct(get(request, 2)[0])
    const sent = text(get(get(get(request, 1)[0], 1)[0], 2)[0], 1)
    const want = contents(ofKey(text(request, 3), text(request, 4)), 'response').content
    const received = await exchange(host, port, sent)
    const ok = received === want
    const more = ok ? [] : [field(3, field(2, mismatch(want, received, 'the frames differ\r\nin the second line\r\n')))]
    return field(2, message(field(1, ok ? 1 : 0), ...more, field(4, `matt: sent ${sent}`)))
  },
}
if (mode === 'unimplemented') delete calls.GetMockServerResults

const key = randomUUID()
const server = createHttp2Server()
server.on('stream', async (stream, headers) => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  const call = calls[String(headers[':path']).split('/').pop()]
  const head = { ':status': 200, 'content-type': 'application/grpc' }
  if (call === undefined) return stream.respond({ ...head, 'grpc-status': '12' }, { endStream: true })
  const answer = await call(Buffer.concat(chunks).subarray(5), stream)
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(answer.length, 1)
  stream.respond(head, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(Buffer.concat([prefix, answer]))
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port, serverKey: key })))
