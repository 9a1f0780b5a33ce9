// Consumer tests that also run against the other responses and messages that the contract allows.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import {
  Contract,
  ContractArgumentError,
  type ContractVariant,
  MismatchesError,
  match,
  serveAll,
  type VariantAnswer,
  VariantsError,
} from 'contract'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'
import { clients, order } from './support/variant-clients.ts'

afterEach(() => {
  delete process.env.CONTRACT_VARIANT
  delete process.env.CONTRACT_VARIANTS
})

function contractWith(body: object, options: object = {}): Contract {
  const contract = new Contract('web', 'orders', options)
  contract.uponReceiving('a request for order 7').withRequest('GET', '/orders/7').willRespondWith(200).withBody(body)
  return contract
}

const load = async (url: string) => fetch(`${url}/orders/7`)
// biome-ignore lint/suspicious/noExplicitAny: the clients do not check what they parse
const json = async (url: string): Promise<any> => (await load(url)).json()

describe('the default set', () => {
  test.each(clients.map((pair) => [pair.cause, pair] as const))('finds: %s', async (_, { variant, wrong }) => {
    const error = await thrown(contractWith(order()).serve({ variants: { max: 100 } }, async ({ url }) => wrong(url)))
    expect(error).toBeInstanceOf(VariantsError)
    expect((error as VariantsError).failures.map(({ name }) => name)).toContain(variant)
  })

  test.each(clients.map((pair) => [pair.cause, pair] as const))(
    'finds nothing in the correct client: %s',
    async (_, { right }) => {
      await contractWith(order()).serve({ variants: 'default' }, async ({ url }) => right(url))
    },
  )

  test('covers all places of the contract with few answers', async () => {
    const seen: (string | undefined)[] = []
    await contractWith(order()).serve({ variants: 'default' }, async (server) => {
      await json(server.url)
      seen.push(server.variant)
    })
    expect(seen[0]).toBeUndefined()
    expect(seen.length).toBeLessThan(14)
    expect(seen).toContain('null@$.note + null@$.customer')
  })
})

describe('a failed variant', () => {
  test('is reported with its place, its rule, the value, the cause, and two fixes', async () => {
    const contract = contractWith({ note: match.nullable('call first'), id: match.int(7) })
    const error = (await thrown(
      contract.serve({ variants: 'default' }, async ({ url }) => (await json(url)).note.length),
    )) as VariantsError
    expect(error.code).toBe('ERR_CONTRACT_VARIANTS')
    expect(error.cause).toBeInstanceOf(TypeError)
    expect(error.failures).toMatchObject([
      { name: 'null@$.note', place: '$.note', value: 'null', reason: 'error', interaction: 'a request for order 7' },
    ])
    expect(error.message).toMatchInlineSnapshot(`
"The test failed with answers that the contract allows. It passed with the example.

1) null@$.note ("a request for order 7")
   place   $.note
   served  null
   allowed the matching rule type OR null at $.note
   error   TypeError: Cannot read properties of null (reading 'length')
   replay  CONTRACT_VARIANT='null@$.note'
   fix     Handle the value in the consumer, or do not allow null in the matcher.

4 variants tried in 4 answers, 1 failed.
[ERR_CONTRACT_VARIANTS]"
`)
  })

  test('keeps the interaction out of the file, and a passed test writes only the example', async () => {
    const directory = temporaryDirectory()
    const body = { note: match.nullable('call first') }
    await thrown(
      contractWith(body, { directory }).serve(
        { variants: 'default' },
        async ({ url }) => (await json(url)).note.length,
      ),
    )
    expect(readdirSync(directory)).toEqual([])
    const value = await contractWith(body, { directory, variants: 'default' }).serve(
      async ({ url }) => (await json(url)).note,
    )
    expect(value).toBe('call first')
    const file = JSON.parse(readFileSync(join(directory, 'web-orders.json'), 'utf8'))
    expect(
      file.interactions.map(({ response }: { response: { body: { content: unknown } } }) => response.body.content),
    ).toEqual([{ note: 'call first' }])
  })

  test('if the example fails, no variant is served', async () => {
    let runs = 0
    const error = await thrown(
      contractWith({ note: match.nullable('a') }).serve({ variants: 'all' }, async ({ url }) => {
        runs += 1
        await json(url)
        throw new Error('broken')
      }),
    )
    expect([runs, (error as Error).message]).toEqual([1, 'broken'])
    await expect(contractWith({ a: 1 }).serve({ variants: 'all' }, async () => {})).rejects.toThrow(MismatchesError)
  })

  test('reports a client that sends other requests', async () => {
    const contract = contractWith({ next: match.nullable('a') })
    const error = (await thrown(
      contract.serve({ variants: 'default' }, async ({ url }) => {
        const { next } = await json(url)
        if (next === null) await fetch(`${url}/orders`)
      }),
    )) as VariantsError
    expect(error.failures).toMatchObject([{ name: 'null@$.next', reason: 'requests' }])
    expect(error.message).toContain('GET /orders')
  })

  test('reports a client that never finishes', async () => {
    const contract = contractWith({ next: match.nullable('a') })
    const error = (await thrown(
      contract.serve({ variants: { include: ['null'] }, timeout: 1000 }, async ({ url }) => {
        const { next } = await json(url)
        if (next === null) await new Promise(() => {})
      }),
    )) as VariantsError
    expect(error.message).toContain('null@$.next')
    expect(error.message).toContain('did not finish within')
  })

  test('a client that passes the second time is not deterministic', async () => {
    let failures = 0
    const contract = contractWith({ next: match.nullable('a') })
    const error = (await thrown(
      contract.serve({ variants: { include: ['null'] } }, async ({ url }) => {
        const { next } = await json(url)
        if (next === null && failures++ === 0) throw new Error('sometimes')
      }),
    )) as VariantsError
    expect(error.code).toBe('ERR_CONTRACT_VARIANTS_UNSTABLE')
  })

  test('is found with each of twenty places', async () => {
    const body = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, match.nullable('x')]))
    const contract = contractWith(body)
    const error = (await thrown(
      contract.serve({ variants: { include: ['null'] } }, async ({ url }) => (await json(url)).f13.length),
    )) as VariantsError
    expect(error.failures.map(({ name }) => name)).toEqual(['null@$.f13'])
    expect(error.answers).toBeLessThanOrEqual(10)
  })
})

describe('messages', () => {
  const contractWithMessage = (options: object = {}) => {
    const contract = new Contract('web', 'orders', options)
    contract.uponReceiving('an order was placed', 'Async').withBody({ note: match.nullable('a'), id: match.int(7) })
    return contract
  }

  test('the handler receives the variants of a message', async () => {
    const notes: unknown[] = []
    const handler = (order: { note: unknown }) => notes.push(order.note)
    await contractWithMessage().verify(handler, 'Async', { variants: { include: ['null'] } })
    expect(notes).toEqual(['a', null])
  })

  test('a failed variant fails the message, which is not written', async () => {
    const directory = temporaryDirectory()
    const contract = contractWithMessage({ directory, variants: 'default' })
    const error = await thrown(contract.verify((order: { note: string }) => order.note.length, 'Async'))
    expect(error).toMatchObject({ errors: [{ code: 'ERR_CONTRACT_VARIANTS', cause: expect.any(TypeError) }] })
    expect((error as Error).message).toContain("CONTRACT_VARIANT='null@$.note'")
    expect(readdirSync(directory)).toEqual([])
  })

  test('options that require a result are rejected', async () => {
    const handler = () => undefined
    const check = () => undefined
    await expect(contractWithMessage().verify(handler, 'Async', { variants: { check } })).rejects.toThrow(
      '"check" is not supported',
    )
    await expect(contractWithMessage().verify(handler, 'Async', { variants: { unread: 'print' } })).rejects.toThrow(
      '"unread" is not supported',
    )
  })

  test('synchronous messages have no variants', async () => {
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('a price', 'Sync').withBody('a')
    const error = await thrown(contract.verify(() => undefined, 'Sync', { variants: 'default' }))
    expect((error as Error).message).toContain('requires asynchronous messages')
  })
})

describe('a test for each variant', () => {
  const body = () => ({ note: match.nullable('call first'), state: match.regex('open', 'open|paid') })
  const named = (variants: readonly ContractVariant[], name: string) =>
    variants.find((variant) => variant.name === name) as ContractVariant

  const suite = contractWith(body()).variants()
  const served: unknown[] = []
  test.each(suite)('the server responds with: $name', async ({ name, serve }) => {
    const order = await serve(async (server) => {
      served.push(server.variant)
      return json(server.url)
    })
    expect(order.note === null).toBe(name === 'null@$.note')
    expect(order.state).toBe(name === 'branch@$.state=paid' ? 'paid' : 'open')
  })

  test('the list starts with the example', () => {
    expect(suite.map(String)).toEqual([
      'example',
      'branch@$.state=paid',
      'null@$.note',
      'extra@$',
      'extra@header.X-Unknown-Header',
      'order@$',
    ])
    expect(served).toEqual([undefined, ...suite.slice(1).map(({ name }) => name)])
    expect(named(suite, 'null@$.note')).toMatchObject({
      kind: 'null',
      place: '$.note',
      value: 'null',
      interaction: 'a request for order 7',
      rule: 'the matching rule type OR null at $.note',
    })
  })

  test('a failure names the variant', async () => {
    const variant = named(contractWith(body()).variants(), 'null@$.note')
    const error = (await thrown(variant.serve(async ({ url }) => (await json(url)).note.length))) as VariantsError
    expect(error).toBeInstanceOf(VariantsError)
    expect(error.cause).toBeInstanceOf(TypeError)
    expect(error.message).toMatchInlineSnapshot(`
"The test failed with an answer that the contract allows.

1) null@$.note ("a request for order 7")
   place   $.note
   served  null
   allowed the matching rule type OR null at $.note
   error   TypeError: Cannot read properties of null (reading 'length')
   replay  CONTRACT_VARIANT='null@$.note'
   fix     Handle the value in the consumer, or do not allow null in the matcher.
[ERR_CONTRACT_VARIANTS]"
`)
  })

  test('names a client that sends other requests, and one that never finishes', async () => {
    const variants = contractWith(body(), { timeout: 200 }).variants()
    const other = (await thrown(named(variants, 'null@$.note').serve(async () => {}))) as VariantsError
    expect(other.failures).toMatchObject([{ name: 'null@$.note', reason: 'requests' }])
    expect(other.cause).toBeInstanceOf(MismatchesError)
    const late = (await thrown(
      named(variants, 'null@$.note').serve(async ({ url }) => {
        await json(url)
        await new Promise(() => {})
      }),
    )) as VariantsError
    expect(late.failures).toMatchObject([{ name: 'null@$.note', reason: 'timeout' }])
    expect(late.message).toContain('did not finish within 200 ms')
  })

  test('a failure of the example is that of the client', async () => {
    const [example] = contractWith(body()).variants() as [ContractVariant]
    await expect(
      example.serve(async ({ url }) => {
        await json(url)
        throw new RangeError('broken')
      }),
    ).rejects.toThrow(RangeError)
    await expect(example.serve(async () => {})).rejects.toThrow(MismatchesError)
  })

  test('the interaction is written once all answers have passed', async () => {
    const directory = temporaryDirectory()
    const variants = contractWith(body(), { directory }).variants({ variants: { include: ['null', 'branch'] } })
    expect(variants.map(String)).toEqual(['example', 'branch@$.state=paid', 'null@$.note'])
    await thrown(named(variants, 'null@$.note').serve(async ({ url }) => (await json(url)).note.length))
    for (const { name, serve } of variants) {
      if (name !== 'null@$.note') await serve(({ url }) => json(url))
    }
    expect(readdirSync(directory)).toEqual([])
    await named(variants, 'null@$.note').serve(({ url }) => json(url))
    const file = JSON.parse(readFileSync(join(directory, 'web-orders.json'), 'utf8'))
    expect(file.interactions[0].response.body.content).toEqual({ note: 'call first', state: 'open' })
  })

  test('check compares the result with the answer', async () => {
    const answers: VariantAnswer[] = []
    const check = (_result: unknown, answer: VariantAnswer) => answers.push(answer)
    const variants = contractWith(body()).variants({ variants: { include: ['null'], check } })
    for (const { serve } of variants) await serve(({ url }) => json(url))
    expect(answers.map(({ variant, body }) => [variant, body.note])).toEqual([
      [undefined, 'call first'],
      ['null@$.note', null],
    ])
  })

  test('the environment selects the variants', () => {
    process.env.CONTRACT_VARIANTS = 'off'
    expect(contractWith(body()).variants({ variants: 'all' }).map(String)).toEqual(['example'])
    delete process.env.CONTRACT_VARIANTS
    process.env.CONTRACT_VARIANT = 'null@$.note'
    expect(contractWith(body()).variants().map(String)).toEqual(['example', 'null@$.note'])
    process.env.CONTRACT_VARIANT = 'null@$.nte'
    expect(() => contractWith(body()).variants()).toThrow('null@$.note')
  })

  test('invalid arguments are rejected', async () => {
    expect(() => contractWith(body()).variants({ variants: { max: 3 } } as object)).toThrow(
      '"max" is not supported, because each test receives one variant',
    )
    expect(() => contractWith(body()).variants({ variants: 'nulls' } as object)).toThrow('Did you mean "null"?')
    expect(() => new Contract('web', 'orders').variants()).toThrow(ContractArgumentError)
    const [example] = contractWith(body()).variants() as [ContractVariant]
    await expect(example.serve(7 as never)).rejects.toThrow('the callback must be a function')
  })
})

describe('fields that the client does not read', () => {
  const body = () => ({
    id: match.int(7),
    internal: 'x',
    lines: match.eachLike({ title: match.str('Pen'), sku: '1' }, { examples: 2 }),
  })
  const view = async (url: string) => {
    const { id, lines } = await json(url)
    return { id, titles: lines.map(({ title }: { title: string }) => title) }
  }

  test('fail the test', async () => {
    const error = (await thrown(
      contractWith(body()).serve({ variants: { unread: 'error' } }, ({ url }) => view(url)),
    )) as VariantsError
    expect(error).toBeInstanceOf(VariantsError)
    expect(error.code).toBe('ERR_CONTRACT_VARIANTS_UNREAD')
    expect(error.failures.map(({ place, reason }) => [place, reason])).toEqual([
      ['$.internal', 'unread'],
      ['$.lines[*].sku', 'unread'],
    ])
    expect(error.message).toMatchInlineSnapshot(`
"The result of the test does not depend on these fields: neither another value nor their absence changes it.
"a request for order 7"
  $.internal
  $.lines[*].sku
Remove them from the contract if the consumer does not need them, or exclude them with "except".
[ERR_CONTRACT_VARIANTS_UNREAD]"
`)
  })

  test('are printed', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
    try {
      await contractWith(body()).serve({ variants: { unread: 'print' } }, ({ url }) => view(url))
      expect(printed.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('$.lines[*].sku')])
      printed.mockClear()
      const options = { variants: { unread: 'print', except: ['$.internal', '$.lines[*].sku'] } } as const
      await contractWith(body()).serve(options, ({ url }) => view(url))
      expect(printed).not.toHaveBeenCalled()
    } finally {
      printed.mockRestore()
    }
  })

  test('a field that determines another request is read', async () => {
    const contract = contractWith({ next: match.regex('/orders/8', '/orders/.+') })
    contract
      .uponReceiving('the next order')
      .withRequest('GET', match.regex('/orders/8', '/orders/[0-9a-z]+'))
      .willRespondWith(200)
      .withBody({ id: match.int(8) })
    await contract.serve({ variants: { include: ['null'], unread: 'error' } }, async ({ url }) => {
      const { next = '/orders/0' } = await json(url)
      return ((await (await fetch(`${url}${next}`)).json()) as { id: number }).id
    })
  })

  test('require a result', async () => {
    const error = await thrown(
      contractWith(body()).serve({ variants: { unread: 'error' } }, async ({ url }) => {
        await json(url)
      }),
    )
    expect(error).toBeInstanceOf(ContractArgumentError)
    expect((error as Error).message).toContain('requires a callback that returns a value')
  })

  test('check is not called with answers that the contract does not allow', async () => {
    const variants: (string | undefined)[] = []
    const check = (_: unknown, { variant }: VariantAnswer) => variants.push(variant)
    await thrown(
      contractWith(body()).serve({ variants: { include: ['null'], unread: 'error', check } }, ({ url }) => view(url)),
    )
    expect(variants).toEqual([undefined])
  })
})

describe('kinds', () => {
  /** Returns the response as it was sent. */
  const raw = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET /orders/7 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'),
      )
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      socket.on('end', () => resolve(text))
      socket.on('error', reject)
    })

  test('casing changes the letter case of header names', async () => {
    const names: string[] = []
    const options = { variants: { include: ['casing'] } } as const
    await contractWith({ a: 1 }).serve(options, async ({ port }) => {
      names.push(/content-type/i.exec(await raw(port))?.[0] ?? '')
    })
    expect(names).toEqual(['content-type', 'CONTENT-TYPE', 'Content-Type'])
  })

  test('big-integer is in no set', async () => {
    const texts: string[] = []
    const variants = { include: ['all', 'big-integer'] } as const
    await contractWith({ id: match.int(7) }).serve({ variants }, async ({ url }) => {
      texts.push(await (await load(url)).text())
    })
    expect(texts).toContain('{"id":9007199254740993}')
    const all = contractWith({ id: match.int(7) }).variants({ variants: 'all' })
    expect(all.map(String)).toContain('number@$.id=9007199254740991')
    expect(all.map(String)).not.toContain('big-integer@$.id=9007199254740993')
  })
})

describe('options', () => {
  test('check compares the result with the answer, also for the example', async () => {
    const answers: VariantAnswer[] = []
    const contract = contractWith({ lines: match.eachLike('a', { min: 0, allowEmpty: true, examples: 2 }) })
    const count = await contract.serve(
      {
        variants: {
          include: ['empty-list'],
          check: (result: number, answer) => {
            answers.push(answer)
            expect(result).toBe(answer.body.lines.length)
          },
        },
      },
      async ({ url }) => (await json(url)).lines.length,
    )
    expect(count).toBe(2)
    expect(answers.map(({ variant, body }) => [variant, body.lines.length])).toEqual([
      [undefined, 2],
      ['empty-list@$.lines=0', 0],
      ['empty-list@$.lines=1', 1],
    ])
    const wrong = await thrown(
      contractWith({ a: match.nullable('x') }).serve(
        { variants: { check: (_result: unknown, { body }) => expect(body.a).toBe('x') } },
        async ({ url }) => json(url),
      ),
    )
    expect((wrong as VariantsError).failures[0]?.name).toBe('null@$.a')
  })

  test('places can be excluded', async () => {
    const contract = contractWith({ note: match.nullable('call first') })
    await contract.serve(
      { variants: { include: ['null'], except: ['$.note'] } },
      async ({ url }) => (await json(url)).note.length,
    )
  })

  test('of the contract, the call, and the environment', async () => {
    const fails = async (contract: Contract, options: object = {}) =>
      (await contract
        .serve(options, async ({ url }) => (await json(url)).note.length)
        .then(
          () => 'passed',
          (error) => error.name,
        )) as string
    const body = { note: match.nullable('call first') }
    expect(await fails(contractWith(body))).toBe('passed')
    expect(await fails(contractWith(body, { variants: 'default' }))).toBe('VariantsError')
    expect(await fails(contractWith(body, { variants: 'default' }), { variants: 'off' })).toBe('passed')
    process.env.CONTRACT_VARIANTS = 'default'
    expect(await fails(contractWith(body))).toBe('VariantsError')
    expect(await fails(contractWith(body), { variants: 'off' })).toBe('passed')
    process.env.CONTRACT_VARIANTS = 'off'
    expect(await fails(contractWith(body), { variants: 'default' })).toBe('passed')
    process.env.CONTRACT_VARIANTS = 'some'
    expect(await fails(contractWith(body))).toBe('ContractArgumentError')
  })

  test('CONTRACT_VARIANT serves one variant', async () => {
    process.env.CONTRACT_VARIANT = 'null@$.note'
    const seen: (string | undefined)[] = []
    const body = { note: match.nullable('call first'), state: match.regex('open', 'open|paid') }
    await contractWith(body).serve({ variants: 'default' }, async (server) => {
      await json(server.url)
      seen.push(server.variant)
    })
    expect(seen).toEqual([undefined, 'null@$.note'])
    process.env.CONTRACT_VARIANT = 'nul@$.note'
    const error = await thrown(contractWith(body).serve({ variants: 'default' }, async ({ url }) => json(url)))
    expect(error).toBeInstanceOf(ContractArgumentError)
    expect(error).toMatchObject({
      code: 'ERR_CONTRACT_VARIANT_UNKNOWN',
      message: expect.stringContaining('null@$.note'),
    })
  })

  test('the maximum is respected, and omitted variants are listed', async () => {
    let runs = 0
    const contract = contractWith({ state: match.regex('a', 'a|b|c|d'), note: match.nullable('x') })
    const error = (await thrown(
      contract.serve({ variants: { include: ['branch', 'null'], max: 1 } }, async ({ url }) => {
        runs += 1
        const { state } = await json(url)
        if (state !== 'a') throw new Error(state)
      }),
    )) as VariantsError
    expect(error.leftOut).toEqual(['branch@$.state=c', 'branch@$.state=d', 'null@$.note'])
    expect(error.message).toContain('3 left out (max: 1)')
    expect(runs).toBe(3)
  })

  test('a test that passes prints what was left out', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const contract = contractWith({ state: match.regex('a', 'a|b|c|d') })
      await contract.serve({ variants: { include: ['branch'], max: 1 } }, ({ url }) => json(url))
      expect(printed.mock.calls).toEqual([['2 variants left out (max: 1): branch@$.state=c, branch@$.state=d']])
    } finally {
      printed.mockRestore()
    }
  })

  test('several interactions vary one after another', async () => {
    const contract = new Contract('web', 'orders')
    for (const id of [1, 2]) {
      const interaction = contract.uponReceiving(`order ${id}`).withRequest('GET', `/orders/${id}`)
      interaction.willRespondWith(200).withBody({ note: match.nullable('x') })
    }
    const error = (await thrown(
      contract.serve({ variants: { include: ['null'] } }, async ({ url }) => {
        await fetch(`${url}/orders/1`)
        return ((await (await fetch(`${url}/orders/2`)).json()) as { note: string }).note.length
      }),
    )) as VariantsError
    expect(error.failures.map(({ name }) => name)).toEqual(['null@$.note in order 2'])
  })

  test.each<[string, object, string]>([
    ['an unknown set', { variants: 'nulls' }, 'unknown kind of variants "nulls". Did you mean "null"?'],
    ['a seed that is not a number', { variants: { seed: 'x' } }, 'seed'],
    ['an unknown option', { variants: { onyl: [] } }, 'unknown option "onyl"'],
    ['no kinds', { variants: { include: [] } }, 'include is empty'],
    ['off with other kinds', { variants: { include: ['off', 'null'] } }, 'cannot be combined'],
    ['the whole body as exception', { variants: { except: ['$'] } }, 'the whole body'],
    ['an invalid place', { variants: { except: ['$.a['] } }, 'path expression'],
    ['a check that is not a function', { variants: { check: 1 } }, '"check" must be a function'],
    ['no answers', { variants: { max: 0 } }, 'max'],
    ['an unknown choice for fields that are not read', { variants: { unread: 'fail' } }, 'unread'],
  ])('%s is rejected', async (_, options, message) => {
    const error = await thrown(contractWith({ a: 1 }).serve(options, async () => {}))
    expect(error).toBeInstanceOf(ContractArgumentError)
    expect((error as Error).message).toContain(message)
  })

  test('variants require a callback and one server', async () => {
    await expect(contractWith({ a: 1 }).serve({ variants: 'default' })).rejects.toThrow('requires a callback')
    await expect(serveAll([contractWith({ a: 1 })], { variants: 'default' } as object, async () => {})).rejects.toThrow(
      'not supported',
    )
  })
})
