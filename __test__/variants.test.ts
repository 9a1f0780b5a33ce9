// Consumer tests that also run against the other responses and messages that the contract allows.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  Contract,
  ContractArgumentError,
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
    const error = await thrown(
      contractWith(order()).serve({ variants: { max: 100 } }, async ({ url }) => wrong(await load(url))),
    )
    expect(error).toBeInstanceOf(VariantsError)
    expect((error as VariantsError).failures.map(({ name }) => name)).toContain(variant)
  })

  test.each(clients.map((pair) => [pair.cause, pair] as const))(
    'finds nothing in the correct client: %s',
    async (_, { right }) => {
      await contractWith(order()).serve({ variants: 'default' }, async ({ url }) => right(await load(url)))
    },
  )

  test('covers all places of the contract with few answers', async () => {
    const seen: (string | undefined)[] = []
    await contractWith(order()).serve({ variants: 'default' }, async (server) => {
      await json(server.url)
      seen.push(server.variant)
    })
    expect(seen[0]).toBeUndefined()
    expect(seen.length).toBeLessThan(12)
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

  test('synchronous messages have no variants', async () => {
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('a price', 'Sync').withBody('a')
    const error = await thrown(contract.verify(() => undefined, 'Sync', { variants: 'default' }))
    expect((error as Error).message).toContain('requires asynchronous messages')
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
