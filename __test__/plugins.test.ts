import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, match, VerificationError, Verifier } from 'contract'

const entry = join(__dirname, 'support', 'pairs-plugin.mjs')
const place = mkdtempSync(join(tmpdir(), 'plugins-'))
const TYPE = 'application/x-pairs'

beforeAll(() => {
  packPlugin({ name: 'pairs', version: '1.0.0', entry, directory: place })
  packPlugin({ name: 'pairs-second', version: '1.0.0', entry, directory: join(place, 'second'), interfaceVersion: 2 })
  for (const begin of ['exit', 'silent']) {
    packPlugin({ name: begin, version: '1.0.0', entry, directory: place, args: [begin] })
  }
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

let files = 0
function define(plugin = 'pairs', timeout = 10_000) {
  files += 1
  const directory = join(place, `files-${files}`)
  const directories = plugin === 'pairs-second' ? [join(place, 'second')] : [place]
  const contract = new Contract('web', 'shop', { directory, plugins: { directories, timeout, startTimeout: 10_000 } })
  return { contract, file: join(directory, 'web-shop.json'), directories }
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => new Error('it passed'),
    (error: Error) => error,
  )
  return { error, text: String(error) }
}

async function withProvider(
  answer: (body: string) => [type: string, body: string],
  test: (port: number) => Promise<void>,
) {
  const server = createHttpServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const [type, text] = answer(body)
      response.setHeader('content-type', type).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await test((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

const verifier = (file: string, directories: string[], port: number, timeout = 10_000) =>
  new Verifier('shop').setPlugins({ directories, timeout }).addSource(file).addTransport({ port })

describe.each(['pairs', 'pairs-second'])('contents by the plugin %s', (plugin) => {
  function exchange() {
    const defined = define(plugin)
    defined.contract.usingPlugin({ plugin, version: '1.0.0' })
    defined.contract
      .uponReceiving('a change of colour')
      .withRequest('PUT', '/colour')
      .withPluginContents({ colour: 'red', size: '{number}' }, TYPE)
      .willRespondWith(200)
      .withPluginContents({ count: '{number}', echo: 'x' }, TYPE)
    return defined
  }
  const put = (url: string, body: string, type = TYPE) =>
    fetch(`${url}/colour`, { method: 'PUT', body, headers: { 'content-type': type } })

  test('a request and a response over HTTP', async () => {
    const { contract, file, directories } = exchange()
    await contract.serve(async ({ url }) => {
      const answer = await put(url, 'colour=red\nsize=12\n')
      expect(answer.headers.get('content-type')).toBe(TYPE)
      expect(await answer.text()).toBe('count=3\necho=consumer/response/pairs-1/pairs/mockServer,testRunId\n')
    })
    const { interactions, metadata } = read(file)
    expect(metadata.plugins).toEqual([{ name: plugin, version: '1.0.0', configuration: { schema: 'pairs-1' } }])
    expect(interactions[0].pluginConfiguration).toEqual({
      [plugin]: { request: { pairs: { colour: 'red', size: '7' } }, response: { pairs: { count: '7', echo: 'x' } } },
    })
    expect(interactions[0].interactionMarkup).toEqual({ markup: '**pairs**', markupType: 'COMMON_MARK' })
    expect(interactions[0].request.matchingRules.body).toEqual({
      size: { combine: 'AND', matchers: [{ match: 'integer' }] },
    })
    expect(interactions[0].response.generators.body).toEqual({ count: { type: 'RandomInt', min: 3, max: 3 } })
    expect(interactions[0].request.body).toMatchObject({ content: 'colour=red\nsize=7\n', contentType: TYPE })
    await withProvider(
      (body) => {
        expect(body).toBe('colour=red\nsize=3\n')
        return [TYPE, 'count=99\necho=x\nmore=1\n']
      },
      async (port) => {
        expect((await verifier(file, directories, port).verify()).success).toBe(true)
      },
    )
    await withProvider(
      () => [TYPE, 'count=many\necho=x\n'],
      async (port) => {
        const { error, text } = await failure(verifier(file, directories, port).verify())
        expect(error).toBeInstanceOf(VerificationError)
        expect(text).toContain('count is many, not like 7')
      },
    )
  })

  test('reports the mismatches of the plugin', async () => {
    const { contract, file } = exchange()
    const { error, text } = await failure(contract.serve(({ url }) => put(url, 'colour=blue\nsize=1\nmore=1\n')))
    expect(error).toBeInstanceOf(MismatchesError)
    expect(text).toContain('colour is blue, not like red')
    expect(text).toContain('more is not expected')
    const [mismatch] = (error as MismatchesError).mismatches
    expect(mismatch).toMatchObject({ type: 'request-mismatch', mismatches: [{ path: '$.colour', actual: 'blue' }, {}] })
    expect(existsSync(file)).toBe(false)
  })

  test('a difference that is a string is at the root', async () => {
    const { contract } = exchange()
    const { error } = await failure(contract.serve(({ url }) => put(url, 'say=the pairs differ\n')))
    expect((error as MismatchesError).mismatches).toMatchObject([
      { type: 'request-mismatch', mismatches: [{ path: '$', mismatch: 'the pairs differ' }] },
    ])
  })

  test('the parameter message of a content type is compared, without its first dot', async () => {
    const { contract } = exchange()
    contract.usingPlugin({ plugin, version: '1.0.0' })
    const order = contract.uponReceiving('an order').withRequest('PUT', '/colour')
    // The header accepts every value, so that only the plugin compares the content type.
    order.withHeader('Content-Type', match.regex(`${TYPE};message=.shop.Order`, /.*/))
    order.withPluginContents({ id: '1' }, `${TYPE};message=.shop.Order`).willRespondWith(200)
    const only = { only: [order] }
    await contract.serve(only, ({ url }) => put(url, 'id=1\n', `${TYPE};message=shop.Order`))
    const serving = contract.serve(only, ({ url }) => put(url, 'id=1\n', `${TYPE};message=.shop.User`))
    const { error, text } = await failure(serving)
    expect(error).toBeInstanceOf(MismatchesError)
    expect(text).toMatch(
      /Expected a body of '[^']*message=\.shop\.Order' but the actual content type was '[^']*shop\.User'/,
    )
  })

  test('the verifier compares the parameter message of a response', async () => {
    const { contract, file, directories } = define(plugin)
    contract.usingPlugin({ plugin, version: '1.0.0' })
    const order = contract.uponReceiving('an order').withRequest('GET', '/order').willRespondWith(200)
    order.withHeader('Content-Type', match.regex(`${TYPE};message=.shop.Order`, /.*/))
    order.withPluginContents({ id: '1' }, `${TYPE};message=.shop.Order`)
    await contract.serve(({ url }) => fetch(`${url}/order`))
    const answeredAs = async (type: string) => {
      let result = { error: new Error('not verified'), text: '' }
      const work = async (port: number) => {
        result = await failure(verifier(file, directories, port).verify())
      }
      await withProvider(() => [type, 'id=1\n'], work)
      return result
    }
    // A content type without the parameter allows any message.
    for (const type of [`${TYPE};message=shop.Order`, TYPE]) {
      expect((await answeredAs(type)).text).toBe('Error: it passed')
    }
    const { error, text } = await answeredAs(`${TYPE};message=.shop.User`)
    expect(error).toBeInstanceOf(VerificationError)
    expect(text).toMatch(
      /Expected a body of '[^']*message=\.shop\.Order' but the actual content type was '[^']*shop\.User'/,
    )
  })

  test('messages without and with responses', async () => {
    const { contract, file } = define(plugin)
    contract.usingPlugin(plugin, '1.0.0')
    contract.uponReceiving('an event', 'Async').withPluginContents({ topic: 'orders', id: '{number}' }, TYPE)
    await contract.verify((contents, metadata) => {
      expect(String(contents)).toBe('id=3\ntopic=orders\n')
      expect(metadata).toMatchObject({ topic: 'orders' })
    }, 'Async')
    const both = { request: { ask: 'all' }, response: [{ one: '1' }, { two: '{number}' }] }
    contract.uponReceiving('a question', 'Sync').withPluginContents(both, TYPE)
    await contract.verify(
      () => [
        { contents: 'one=1\n', contentType: TYPE },
        { contents: 'two=12\n', contentType: TYPE },
      ],
      'Sync',
    )
    const { interactions } = read(file)
    expect(interactions.map((one: { type: string }) => one.type)).toEqual([
      'Synchronous/Messages',
      'Asynchronous/Messages',
    ])
    expect(interactions[0].response).toHaveLength(2)
    expect(interactions[0].response[1].contents).toMatchObject({ content: 'two=7\n' })
    expect(interactions[1].metadata).toEqual({ topic: 'orders' })

    contract.uponReceiving('another question', 'Sync').withPluginContents(both, TYPE)
    const answers = [
      { contents: 'one=2\n', contentType: TYPE },
      { contents: 'two=x\n', contentType: TYPE },
    ]
    const { text } = await failure(contract.verify(() => answers, 'Sync'))
    expect(text).toContain('one is 2, not like 1')
    expect(text).toContain('two is x, not like 7')
  })

  test('a transport of a plugin, for consumer and provider', async () => {
    const { contract, file, directories } = define(plugin)
    contract.usingPlugin({ plugin })
    contract.uponReceiving('the colour', 'Sync').withPluginContents({ colour: 'red' }, TYPE)
    await contract.serve({ transport: 'pairs' }, async ({ port, transport }) => {
      expect(transport).toBe('pairs')
      expect(await ask(port, 'colour')).toBe('red')
    })
    expect(read(file).interactions[0].transport).toBe('pairs')

    contract.uponReceiving('the size', 'Sync').withPluginContents({ size: '7' }, TYPE)
    const wrong = await failure(contract.serve({ transport: 'pairs' }, ({ port }) => ask(port, 'weight')))
    expect(wrong.error).toBeInstanceOf(MismatchesError)
    expect(wrong.text).toContain('there is no pair weight')
    contract.uponReceiving('the age', 'Sync').withPluginContents({ age: '7' }, TYPE)
    const unused = await failure(contract.serve({ transport: 'pairs' }, () => {}))
    expect(unused.text).toContain('it might not have received a request')

    const asked: string[] = []
    const colours = ['red', 'green']
    const provider = createServer((socket) => {
      socket.on('data', (data) => {
        asked.push(String(data).trim())
        socket.write(`${colours.shift()}\n`)
      })
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    const verify = () =>
      new Verifier('shop')
        .setPlugins({ directories })
        .addSource(file)
        .addTransport({ protocol: 'pairs', port })
        .requestFilter((request) => {
          request.headers.token = 'secret'
          request.body = Buffer.from(String(request.body).toUpperCase())
          return request
        })
        .verify()
    try {
      expect((await verify()).success).toBe(true)
      expect(asked).toEqual(['COLOUR'])
      const { text } = await failure(verify())
      expect(text).toContain('the value is green, not red')
    } finally {
      provider.close()
    }
  })
})

function ask(port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${name}\n`))
    socket.once('data', (data) => {
      socket.end()
      resolve(String(data).trim())
    })
    socket.once('error', reject)
  })
}

test('rules and generators of a plugin', async () => {
  const { contract, file, directories } = define('pairs-second')
  contract
    .uponReceiving('a number')
    .usingPlugin({ plugin: 'pairs-second' })
    .withRequest('POST', '/numbers')
    .withJsonBody({ id: 4 })
    .withMatchingRules({ body: { '$.id': { match: 'even' } } })
    .willRespondWith(200)
    .withJsonBody({ twice: 21 })
    .withGenerators({ body: { '$.twice': { type: 'even' } } })
  const post = (url: string, id: number) =>
    fetch(`${url}/numbers`, {
      method: 'POST',
      body: JSON.stringify({ id }),
      headers: { 'content-type': 'application/json' },
    })
  await contract.serve(async ({ url }) => expect(await (await post(url, 12)).json()).toEqual({ twice: 42 }))
  expect(read(file).interactions[0].request.matchingRules.body['$.id'].matchers).toEqual([{ match: 'even' }])
  const again = await failure(contract.serve({ all: true }, ({ url }) => post(url, 13)))
  expect(again.text).toContain('$.id is 13, which is not even')
  await withProvider(
    () => ['application/json', '{"twice":21}'],
    async (port) => expect((await verifier(file, directories, port).verify()).success).toBe(true),
  )
})

describe('plugins that cannot be used', () => {
  const contents = (contract: Contract, given: object) =>
    contract.uponReceiving('pairs').withRequest('PUT', '/').withPluginContents(given, TYPE)

  test('missing: reports the searched directories and the installed plugins', () => {
    const { contract } = define()
    expect(() => contract.usingPlugin({ plugin: 'grpc', version: '2.0.0' })).toThrow(
      expect.objectContaining({
        code: 'ERR_CONTRACT_PLUGIN',
        message: expect.stringMatching(
          /"grpc" \(version 2\.0\.0 or later\) is not installed\n.*\n {2}.*plugins-.*\nInstalled:\n/,
        ),
      }) as unknown as Error,
    )
    expect(() => contract.usingPlugin({ plugin: 'pairs', version: '1.0.1' })).toThrow('not installed')
    contract.usingPlugin({ plugin: 'pairs', version: '0.9' })
  })

  test('rejects an empty name and empty directories', () => {
    const { contract } = define()
    for (const plugin of ['', ' ']) {
      expect(() => contract.usingPlugin({ plugin })).toThrow(
        expect.objectContaining({
          argument: 'plugin',
          message: expect.stringContaining('the plugin name is empty'),
        }) as unknown as Error,
      )
    }
    contract.usingPlugin({ plugin: 'pairs' })
    const empty = { directories: [place, ''] }
    expect(() => new Contract('web', 'shop', { plugins: empty })).toThrow('a plugin directory must not be empty')
    expect(() => new Verifier('shop').setPlugins(empty)).toThrow(/^setPlugins: a plugin directory must not be empty/)
  })

  test('reports plugins that exit or do not print their port', () => {
    const { contract } = define()
    expect(() => contract.usingPlugin({ plugin: 'exit' })).toThrow(
      /exit code 3.*\n.*Last output of the plugin:\n {2}no licence found/,
    )
    const slow = new Contract('web', 'shop', { plugins: { directories: [place], startTimeout: 200 } })
    expect(() => slow.usingPlugin({ plugin: 'silent' })).toThrow(
      /it did not write .* within 0.2 seconds. If it needs longer, increase the start timeout in the plugin options/,
    )
    slow.usingPlugin({ plugin: 'pairs' })
  })

  test.each([
    ['refuse', 'could not configure the contents: a value is missing'],
    ['die', 'exited (exit code 7) during ConfigureInteraction\nLast output of the plugin'],
    ['never', 'did not respond to ConfigureInteraction within 0.3 seconds'],
  ])('one that makes nothing of contents: %s', async (wish, problem) => {
    const { contract, file } = define('pairs', 300)
    contract.usingPlugin({ plugin: 'pairs' })
    expect(() => contents(contract, { do: wish })).toThrow(problem.replace('’', "'"))
    // Rejected interactions are neither served nor written, and the next test works.
    contract
      .uponReceiving('more pairs')
      .withRequest('PUT', '/')
      .withPluginContents({ a: '1' }, TYPE)
      .willRespondWith(204)
    await contract.serve(({ url }) => fetch(url, { method: 'PUT', body: 'a=1\n', headers: { 'content-type': TYPE } }))
    expect(read(file).interactions.map((one: { description: string }) => one.description)).toEqual(['more pairs'])
  })

  test('rejects contents that are not an object, and unclaimed content types', () => {
    const { contract } = define()
    expect(() => contents(contract, {})).toThrow(
      /no plugin of this contract handles application\/x-pairs; .*usingPlugin/,
    )
    contract.usingPlugin({ plugin: 'pairs' })
    for (const [given, problem] of [
      ['[1]', 'the contents for a plugin must be an object, received'],
      ['{', 'the text is not valid JSON'],
    ] as const) {
      expect(() => contract.uponReceiving('x').withPluginContents(given, TYPE)).toThrow(problem)
    }
    expect(() => contract.uponReceiving('x').withPluginContents({}, 'text/csv')).toThrow(
      'the plugins are pairs 1.0.0 for application/x-pairs',
    )
    expect(() => contract.withSpecification('V3').usingPlugin({ plugin: 'pairs' })).toThrow(
      'this operation requires V4, but the contract is written in V3',
    )
  })

  test('a matching rule without a name', () => {
    const { contract } = define()
    contract.usingPlugin('pairs')
    expect(() => contents(contract, { do: 'nameless', size: '{number}' })).toThrow(
      /configure: a matching rule at size has no type\. Set it, as in \{ type: 'regex', … \}/,
    )
  })

  test('two plugins that claim the same content type', () => {
    const twin = join(place, 'twin')
    packPlugin({ name: 'pairs', version: '1.0.0', entry, directory: twin })
    packPlugin({ name: 'twin', version: '1.0.0', entry, directory: twin })
    const contract = new Contract('web', 'shop', { plugins: { directories: [twin] } })
    contract.usingPlugin({ plugin: 'pairs' }).usingPlugin({ plugin: 'twin' })
    expect(() => contents(contract, { a: '1' })).toThrow(
      'the plugins pairs 1.0.0 and twin 1.0.0 both handle application/x-pairs',
    )
  })

  test('an unknown transport', async () => {
    const { contract } = define()
    contract.usingPlugin({ plugin: 'pairs' })
    contract.uponReceiving('x', 'Sync').withPluginContents({ a: '1' }, TYPE)
    const { text } = await failure(contract.serve({ transport: 'grpc' }, () => {}))
    expect(text).toContain('no plugin of this contract provides the transport "grpc"')
  })

  test('continues the verification if a plugin is missing, crashes, or hangs', async () => {
    const { contract, file, directories } = define()
    contract.usingPlugin({ plugin: 'pairs' })
    for (const name of ['a', 'b', 'c']) {
      contract
        .uponReceiving(name)
        .withRequest('POST', '/')
        .withPluginContents({ [name]: '1' }, TYPE)
        .willRespondWith(200)
        .withPluginContents({ [name]: '1' }, TYPE)
    }
    contract.uponReceiving('plain').withRequest('POST', '/').withJsonBody({ a: 1 }).willRespondWith(200)
    await contract.writeFile()
    const status = async (promise: Promise<unknown>) => {
      const { error, text } = await failure(promise)
      const { report } = error as VerificationError
      const all = report.contracts.flatMap((one) => one.interactions)
      return { text, statuses: Object.fromEntries(all.map((one) => [one.description, one.status])) }
    }
    // `a` passes, `b` crashes the plugin, `c` makes it hang.
    const answers: Record<string, string> = { 'a=1\n': 'a=1\n', 'b=1\n': 'do=die\n', 'c=1\n': 'do=never\n' }
    await withProvider(
      (body) => [TYPE, answers[body] ?? ''],
      async (port) => {
        const { text, statuses } = await status(verifier(file, directories, port, 500).verify())
        expect(statuses).toEqual({ a: 'passed', b: 'failed', c: 'failed', plain: 'passed' })
        expect(text).toMatch(/exited \(exit code 7\) during CompareContents[\s\S]*pairs: out of memory/)
        expect(text).toContain('did not respond to CompareContents within 0.5 seconds')
        const empty = join(place, 'empty')
        mkdirSync(empty, { recursive: true })
        const missing = await status(verifier(file, [empty], port).verify())
        expect(missing.statuses).toEqual({ a: 'failed', b: 'failed', c: 'failed', plain: 'passed' })
        expect(missing.text).toContain('"pairs" (version 1.0.0 or later) is not installed')
      },
    )
    const newer = read(file)
    newer.metadata.plugins[0].version = '1.2.0'
    writeFileSync(file, JSON.stringify(newer))
    await withProvider(
      () => [TYPE, 'a=1\n'],
      async (port) => {
        const { text } = await status(verifier(file, directories, port).verify())
        expect(text).toContain('"pairs" (version 1.2.0 or later) is not installed')
      },
    )
  })
})

describe('contract plugin', () => {
  const command = (...args: string[]) => {
    const done = spawnSync(process.execPath, [join(__dirname, '..', 'bin', 'contract.js'), 'plugin', ...args], {
      encoding: 'utf8',
    })
    return { status: done.status, text: done.stdout + done.stderr }
  }

  test('installs, lists, shows, checks, and removes plugins', () => {
    const home = join(place, 'home')
    const at = ['--directory', home]
    expect(command('install', join(place, 'pairs-1.0.0'), ...at)).toMatchObject({ status: 0 })
    expect(command('install', join(place, 'pairs-1.0.0'), ...at).text).toContain('already exists. Pass --force')
    expect(command('install', join(place, 'pairs-1.0.0'), '--force', ...at).status).toBe(0)
    const archive = join(place, 'exit.tar.gz')
    execFileSync('tar', ['-czf', archive, '-C', place, 'exit-1.0.0'])
    expect(command('install', archive, '--sha256', '00', ...at)).toMatchObject({
      status: 1,
      text: expect.stringContaining('The plugin was not installed.'),
    })
    expect(command('list', ...at).text).not.toContain('exit')
    expect(command('install', archive, ...at).status).toBe(0)
    expect(command('list', ...at).text).toMatch(
      /^exit 1\.0\.0 \(interface 1\) in .*\npairs 1\.0\.0 \(interface 1\) in .*\n$/,
    )
    expect(JSON.parse(command('show', 'pairs', '--json', ...at).text)).toMatchObject([
      { name: 'pairs', version: '1.0.0', interface: 1 },
    ])
    const tried = command('doctor', ...at)
    expect(tried.status).toBe(1)
    expect(tried.text).toMatch(
      /^pairs 1\.0\.0: ok, started in \d+ ms, supports content-matcher\/contents-1 \(application\/x-pairs\), .*\n/m,
    )
    expect(tried.text).toMatch(/^exit 1\.0\.0: failed: .*exit code 3/m)
    expect(command('remove', 'exit', ...at).status).toBe(0)
    expect(command('doctor', ...at).status).toBe(0)
    expect(command('show', 'exit', ...at)).toMatchObject({
      status: 1,
      text: expect.stringContaining('is not installed'),
    })
  })
})
