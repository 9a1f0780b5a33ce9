// Contracts from traffic: recordHar and recordWith. Real servers of Mock Service Worker and real pages are among the partners.
import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { type RecordOptions, recordHar, recordWith } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const names = { consumer: 'web', provider: 'users' } as const

interface Written {
  readonly description: string
  readonly comments?: { readonly testname?: string }
}

function interactions(path: string | undefined): Written[] {
  return (JSON.parse(readFileSync(path ?? '', 'utf8')) as { interactions: Written[] }).interactions
}

function entry(url: string, text: string, headers: readonly object[] = []): object {
  const content = { size: text.length, mimeType: 'application/json', text }
  return {
    startedDateTime: '2026-11-24T10:00:00Z',
    request: { method: 'GET', url, headers },
    response: { status: 200, headers: [], content },
  }
}

function archive(directory: string, entries: readonly object[]): string {
  const path = join(directory, 'session.har')
  writeFileSync(path, JSON.stringify({ log: { version: '1.2', entries } }))
  return path
}

describe('recordHar', () => {
  test('writes a contract, and returns what to review', async () => {
    const directory = temporaryDirectory()
    const headers = [{ name: 'Authorization', value: 'Bearer sesame' }]
    const never = { ...entry('http://h/v1/never', ''), response: { status: 0, headers: [], content: { size: 0 } } }
    const entries = [
      entry('http://h/v1/users/7', '{"id":7,"name":"Ann"}', headers),
      entry('http://h/v1/users/8', '{"id":8,"name":"Bob"}', headers),
      never,
      entry('http://elsewhere/users/9', '{}'),
    ]
    const file = pathToFileURL(archive(directory, entries))
    const recorded = await recordHar(file, {
      ...names,
      target: new URL('http://h/v1'),
      directory: pathToFileURL(directory),
    })
    expect(recorded).toMatchObject({
      requests: 3,
      interactions: 1,
      merged: 1,
      skipped: [{ request: 'GET /never', reason: 'there was no response' }],
      omitted: ['authorization'],
      ambiguous: [],
    })
    const interaction = 'GET /users/{number} returns 200'
    expect(recorded.guesses).toContainEqual({ interaction, place: 'response body $.id', rule: 'an integer' })
    expect(recorded.summary).toContain('Recorded 3 requests as 1 interaction (1 merged with others)')
    expect(interactions(recorded.path).map(({ description }) => description)).toEqual([interaction])
    expect(readFileSync(recorded.path ?? '', 'utf8')).not.toContain('sesame')
  })

  test('writes a consumer test, and never replaces one', async () => {
    const directory = temporaryDirectory()
    const path = archive(directory, [entry('http://h/users/7', '{"id":7}')])
    const options = { ...names, directory, as: 'code' } as const
    const recorded = await recordHar(path, options)
    expect(recorded.path).toBe(join(directory, 'web-users.test.ts'))
    expect(readFileSync(recorded.path ?? '', 'utf8')).toContain('match.int(7)')
    await expect(recordHar(path, options)).rejects.toThrow(/move or delete the existing file first/)
  })

  test('writes nothing if no request can be recorded', async () => {
    const directory = temporaryDirectory()
    const page = {
      ...entry('http://h/', '<p>'),
      response: { status: 200, headers: [{ name: 'Content-Type', value: 'text/html' }], content: { text: '<p>' } },
    }
    const recorded = await recordHar(archive(directory, [page]), { ...names, directory, target: 'http://h' })
    expect(recorded.path).toBeUndefined()
    expect(recorded.summary).toContain('GET /: it is a page, script, style, image, or font')
  })

  test('rejects invalid archives and options', async () => {
    const directory = temporaryDirectory()
    const several = archive(directory, [entry('http://a/users/1', '{}'), entry('http://b/users/1', '{}')])
    const invalid = join(directory, 'invalid.har')
    writeFileSync(invalid, '{}')
    const rejected = (file: unknown, options: object, message: RegExp) =>
      expect(recordHar(file as string, options as RecordOptions)).rejects.toThrow(message)
    await rejected(several, names, /multiple origins: http:\/\/a, http:\/\/b\. Set the target/)
    await rejected(several, { ...names, target: 'http://c' }, /there are no requests to http:\/\/c/)
    await rejected(several, { ...names, target: '/v1' }, /recordHar: .*http/)
    await rejected(several, { consumer: 'web' }, /recordHar: .*provider/)
    await rejected(several, { ...names, consumer: '' }, /the consumer name is empty/)
    await rejected(several, { ...names, as: 'test' }, /recordHar: .*file.*code/s)
    await rejected(several, { ...names, out: directory }, /recordHar: unknown option "out"/)
    await rejected(invalid, names, /invalid\.har: it is not an HTTP archive/)
    await rejected(join(directory, 'missing.har'), names, /missing\.har/)
    await rejected(undefined, names, /recordHar: "file" must be a string/)
  })
})

/** The events of a server of Mock Service Worker. */
class Server {
  readonly events = new EventEmitter()
  #last = 0

  /** Sends a request through a handler, or returns without a response. */
  async send(request: Request, handler: (request: Request) => Promise<Response> | Response | undefined) {
    this.#last += 1
    const requestId = String(this.#last)
    this.events.emit('request:start', { request, requestId })
    const response = await handler(request)
    if (response !== undefined) this.events.emit('response:mocked', { request, response, requestId })
  }
}

describe('recordWith', () => {
  const user = (id: number) => Response.json({ id, name: 'Ann' }, { headers: { 'Set-Cookie': 'sid=sesame' } })

  test('records the requests of a suite, with the names of the tests', async () => {
    const directory = temporaryDirectory()
    const server = new Server()
    let name: string | undefined
    const recorder = recordWith(server, { ...names, directory, target: 'http://h/v1', testName: () => name })
    await server.send(new Request('http://h/v1/users/7', { headers: { Authorization: 'Bearer sesame' } }), () =>
      user(7),
    )
    name = 'adds a user'
    const create = { method: 'POST', body: '{"name":"Ann"}', headers: { 'Content-Type': 'application/json' } }
    await server.send(new Request('http://h/v1/users', create), async (request) => {
      // The handler reads the body of the original.
      const body = (await request.json()) as object
      return Response.json({ ...body, id: 9 }, { status: 201 })
    })
    await server.send(new Request('http://h/v1/users/8'), () => user(8))
    await server.send(new Request('http://h/v1/never'), () => undefined)
    await server.send(new Request('http://elsewhere/'), () => Response.json({}))
    const recorded = await recorder.stop()
    expect(await recorder.stop()).toBe(recorded)
    expect(recorded).toMatchObject({ requests: 4, interactions: 2, merged: 1 })
    expect(recorded.skipped).toEqual([{ request: 'GET /never', reason: 'there was no response' }])
    expect(interactions(recorded.path)).toMatchObject([
      { description: 'GET /users/{number} returns 200', comments: { testname: 'adds a user' } },
      { description: 'POST /users returns 201', comments: { testname: 'adds a user' } },
    ])
    const text = readFileSync(recorded.path ?? '', 'utf8')
    expect(text).toContain('"name": "Ann"')
    expect(text).not.toContain('sesame')
    // Nothing is recorded after the end.
    await server.send(new Request('http://h/v1/late'), () => Response.json({}))
    expect(server.events.eventNames()).toEqual([])
  })

  test('takes the name of the test from Jest', async () => {
    const directory = temporaryDirectory()
    const server = new Server()
    const recorder = recordWith(server, { ...names, directory })
    await server.send(new Request('http://h/users/7'), () => user(7))
    const { path } = await recorder.stop()
    expect(interactions(path)[0]?.comments?.testname).toBe('recordWith takes the name of the test from Jest')
  })

  test('large, binary, and unreadable bodies are not recorded', async () => {
    const directory = temporaryDirectory()
    const server = new Server()
    const recorder = recordWith(server, { ...names, directory, bodyLimit: 100 })
    const binary = new Uint8Array(50).fill(0xfe)
    const type = { headers: { 'Content-Type': 'application/octet-stream' } }
    await server.send(new Request('http://h/upload', { method: 'PUT', body: 'x'.repeat(101) }), () => Response.json({}))
    await server.send(new Request('http://h/file'), () => new Response(binary, type))
    await server.send(new Request('http://h/large'), () => Response.json(['x'.repeat(200)]))
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('cut off')) })
    await server.send(new Request('http://h/broken'), () => new Response(broken))
    const recorded = await recorder.stop()
    expect(recorded.skipped).toEqual([
      { request: 'PUT /upload', reason: 'its request body is larger than 100 bytes' },
      { request: 'GET /broken', reason: 'it could not be read: cut off' },
    ])
    expect(recorded.guesses).toEqual([
      { interaction: 'GET /file returns 200', place: 'response body', rule: 'left out, because it is not JSON' },
      {
        interaction: 'GET /large returns 200',
        place: 'response body',
        rule: 'left out, because it is larger than 100 bytes',
      },
    ])
  })

  test('writes nothing without requests, and requires a target for several origins', async () => {
    const directory = temporaryDirectory()
    const nothing = await recordWith(new Server(), { ...names, directory }).stop()
    expect(nothing).toMatchObject({ requests: 0, interactions: 0 })
    expect(nothing.path).toBeUndefined()
    const server = new Server()
    const recorder = recordWith(server, { ...names, directory })
    await server.send(new Request('http://a/'), () => Response.json({}))
    await server.send(new Request('http://b/'), () => Response.json({}))
    await expect(recorder.stop()).rejects.toThrow(
      /recordWith: the requests go to multiple origins: http:\/\/a, http:\/\/b/,
    )
  })

  test('rejects invalid arguments at once', () => {
    expect(() => recordWith({} as never, names)).toThrow(/recordWith: expected a server of Mock Service Worker 2/)
    const server = new Server()
    const wrong = (options: object) => () => recordWith(server, options as never)
    expect(wrong({ consumer: 'web' })).toThrow(/recordWith: .*provider/)
    expect(wrong({ ...names, targt: 'http://h' })).toThrow(/unknown option "targt". Did you mean "target"/)
    expect(wrong(undefined as never)).toThrow(/recordWith/)
    expect(wrong({ ...names, testName: 'x' })).toThrow(/recordWith: "testName" must be a function/)
    expect(server.events.eventNames()).toEqual([])
  })
})
