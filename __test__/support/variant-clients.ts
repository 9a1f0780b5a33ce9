// Small clients of an order API, each with one defect that the example of the contract does not show, next to a correct
// version. `defect` is the part of the contract on which the client fails.
import axios from 'axios'
import { match } from 'contract'
import { z } from 'zod'

/** Sends `GET /orders/7` and reads the response. */
export type Client = (url: string) => Promise<unknown>

export interface ClientPair {
  readonly cause: string
  /** The name of the variant that finds the defect. */
  readonly variant: string
  readonly wrong: Client
  readonly right: Client
}

/** The body of the response. */
export const order = () => ({
  id: match.int(7),
  state: match.regex('open', 'open|paid|shipped'),
  priority: match.regex('low', /^(low|high)$/),
  note: match.nullable('call first'),
  customer: match.nullable({ name: match.str('Ada') }),
  lines: match.eachLike(
    { title: match.str('Pen'), price: match.number(1.5), kind: match.regex('tool', 'book|tool') },
    { min: 0, allowEmpty: true, examples: 2 },
  ),
  tags: match.eachLike('new', { min: 0, allowEmpty: true }),
  delivery: match.any('post', 'courier'),
  reference: match.any(match.int(7), 'none'),
  prices: match.eachKeyLike('EUR', match.number(3)),
})

// biome-ignore lint/suspicious/noExplicitAny: clients in the wild do not check what they parse
const parsed = async (response: Response): Promise<any> => response.json()

/** A client that uses `fetch`. */
const fetches =
  (read: (response: Response) => unknown): Client =>
  async (url) =>
    read(await fetch(`${url}/orders/7`))

/** A client that uses axios. */
const requests =
  // biome-ignore lint/suspicious/noExplicitAny: as above
    (read: (body: any) => unknown): Client =>
    async (url) =>
      read((await axios.get(`${url}/orders/7`)).data)

/** A client that parses the body with zod. */
const parses = (schema: z.ZodType): Client => requests((body) => schema.parse(body))

function throwUnless(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

/** A client that reads the body. */
const reads =
  // biome-ignore lint/suspicious/noExplicitAny: as above
  (read: (body: any) => unknown): Client => fetches(async (response) => read(await parsed(response)))

const COLORS: Record<string, { readonly css: string }> = { open: { css: 'blue' }, paid: { css: 'green' } }
const ALL_COLORS: Record<string, { readonly css: string }> = { ...COLORS, shipped: { css: 'gray' } }

enum State {
  open = 1,
  paid = 2,
}

const pair = (cause: string, variant: string, wrong: Client, right: Client): ClientPair => ({
  cause,
  variant,
  wrong,
  right,
})

export const clients: readonly ClientPair[] = [
  // Unknown enum values.
  pair(
    'a table of labels lacks a state',
    'branch@$.state=shipped',
    reads((body) => COLORS[body.state]?.css.toUpperCase() ?? (undefined as never as string).length),
    reads((body) => ALL_COLORS[body.state]?.css.toUpperCase()),
  ),
  pair(
    'a switch throws for other states',
    'branch@$.state=shipped',
    reads((body) => {
      switch (body.state) {
        case 'open':
        case 'paid':
          return 1
        default:
          throw new Error(`unknown state ${body.state}`)
      }
    }),
    reads((body) => {
      switch (body.state) {
        case 'open':
          return 1
        default:
          return 0
      }
    }),
  ),
  pair(
    'an enum of the client is older than the API',
    'branch@$.state=shipped',
    reads((body) => {
      const state = State[body.state as keyof typeof State]
      throwUnless(state !== undefined, 'no such state')
      return state
    }),
    reads((body) => State[body.state as keyof typeof State] ?? 0),
  ),
  pair(
    'a hand-written parser accepts two states',
    'branch@$.state=shipped',
    reads((body) => {
      throwUnless(['open', 'paid'].includes(body.state), 'invalid state')
      return body
    }),
    reads((body) => {
      throwUnless(typeof body.state === 'string', 'invalid state')
      return body
    }),
  ),
  pair(
    'only one priority is known',
    'branch@$.priority=high',
    reads((body) => {
      throwUnless(body.priority === 'low', 'invalid priority')
      return 0
    }),
    reads((body) => ({ low: 0, high: 1 })[body.priority as 'low'] ?? 0),
  ),
  pair(
    'an index of a list of priorities',
    'branch@$.priority=high',
    reads((body) => ['red'][['low', 'high'].indexOf(body.priority)]?.length ?? JSON.parse('no color')),
    reads((body) => ['red', 'blue'][['low', 'high'].indexOf(body.priority)]?.length),
  ),
  pair(
    'an enum in an item of a list',
    'branch@$.lines[0].kind=book',
    reads((body) => body.lines.map((line: { kind: string }) => ({ tool: { icon: 't' } })[line.kind as 'tool'].icon)),
    reads((body) => body.lines.map((line: { kind: string }) => ({ tool: { icon: 't' } })[line.kind as 'tool']?.icon)),
  ),
  pair(
    'an exhaustive map throws',
    'branch@$.lines[0].kind=book',
    reads((body) => {
      for (const line of body.lines) throwUnless(new Set(['tool']).has(line.kind), 'unknown kind')
      return 0
    }),
    reads((body) => body.lines.filter((line: { kind: string }) => line.kind === 'tool').length),
  ),
  // Null.
  pair(
    'the length of a null text',
    'null@$.note',
    reads((body) => body.note.length),
    reads((body) => body.note?.length),
  ),
  pair(
    'a method of a null text',
    'null@$.note',
    reads((body) => body.note.trim()),
    reads((body) => (body.note ?? '').trim()),
  ),
  pair(
    'a parser that requires a text',
    'null@$.note',
    reads((body) => {
      throwUnless(typeof body.note === 'string', 'note must be a string')
      return body.note
    }),
    reads((body) => {
      throwUnless(body.note === null || typeof body.note === 'string', 'note must be a string')
      return body.note
    }),
  ),
  pair(
    'a default that applies only to undefined',
    'null@$.note',
    reads(({ note = '' }) => note.split(' ')),
    reads(({ note }) => (note ?? '').split(' ')),
  ),
  pair(
    'destructuring of a null object',
    'null@$.customer',
    reads(({ customer: { name } }) => name),
    reads(({ customer }) => customer?.name),
  ),
  pair(
    'a member of a null object',
    'null@$.customer',
    reads((body) => body.customer.name),
    reads((body) => body.customer?.name ?? 'guest'),
  ),
  pair(
    'the keys of a null object',
    'null@$.customer',
    reads((body) => Object.keys(body.customer)),
    reads((body) => Object.keys(body.customer ?? {})),
  ),
  pair(
    'typeof null is object',
    'null@$.customer',
    reads((body) => (typeof body.customer === 'object' ? body.customer.name : '')),
    reads((body) => (typeof body.customer === 'object' && body.customer !== null ? body.customer.name : '')),
  ),
  pair(
    '"in" with a null object',
    'null@$.customer',
    reads((body) => 'name' in body.customer),
    reads((body) => body.customer !== null && 'name' in body.customer),
  ),
  // Empty and short lists.
  pair(
    'the first item of an empty list',
    'empty-list@$.lines=0',
    reads((body) => body.lines[0].title),
    reads((body) => body.lines[0]?.title),
  ),
  pair(
    'reduce without an initial value',
    'empty-list@$.lines=0',
    reads((body) => body.lines.map((line: { price: number }) => line.price).reduce((a: number, b: number) => a + b)),
    reads((body) => body.lines.map((line: { price: number }) => line.price).reduce((a: number, b: number) => a + b, 0)),
  ),
  pair(
    'the last item of an empty list',
    'empty-list@$.lines=0',
    reads((body) => body.lines.at(-1).price),
    reads((body) => body.lines.at(-1)?.price),
  ),
  pair(
    'destructuring of an empty list',
    'empty-list@$.lines=0',
    reads(({ lines: [{ title }] }) => title),
    reads(({ lines: [first] }) => first?.title),
  ),
  pair(
    'an average of nothing',
    'empty-list@$.lines=0',
    reads((body) => {
      const average =
        body.lines.reduce((sum: number, { price }: { price: number }) => sum + price, 0) / body.lines.length
      throwUnless(Number.isFinite(average), 'not a number')
      return average
    }),
    reads(
      (body) =>
        body.lines.reduce((sum: number, { price }: { price: number }) => sum + price, 0) /
        Math.max(body.lines.length, 1),
    ),
  ),
  pair(
    'the maximum of nothing',
    'empty-list@$.lines=0',
    reads((body) => {
      const top = Math.max(...body.lines.map(({ price }: { price: number }) => price))
      return new Array(Math.ceil(top)).length
    }),
    reads((body) => Math.max(0, ...body.lines.map(({ price }: { price: number }) => price))),
  ),
  pair(
    'a second item that is not promised',
    'empty-list@$.lines=0',
    reads((body) => body.lines[1].title),
    reads((body) => body.lines[1]?.title),
  ),
  pair(
    'a parser that requires tags',
    'empty-list@$.tags=0',
    reads((body) => {
      throwUnless(body.tags.length > 0, 'no tags')
      return body.tags
    }),
    reads((body) => body.tags.join(', ')),
  ),
  pair(
    'the first tag',
    'empty-list@$.tags=0',
    reads((body) => body.tags[0].toUpperCase()),
    reads((body) => body.tags[0]?.toUpperCase()),
  ),
  // Absent members.
  pair(
    'a key that is an example',
    'absent@$.prices.EUR',
    reads((body) => body.prices.EUR.toFixed(2)),
    reads((body) => body.prices.EUR?.toFixed(2)),
  ),
  pair(
    'a parser that requires the key',
    'absent@$.prices.EUR',
    reads((body) => {
      throwUnless('EUR' in body.prices, 'no price')
      return body.prices.EUR
    }),
    reads((body) => Object.values(body.prices)[0] ?? 0),
  ),
  // Unknown members, and the order of members.
  pair(
    'a strict parser rejects new members',
    'extra@$',
    reads((body) => {
      throwUnless(Object.keys(body).length === 10, 'unexpected member')
      return body
    }),
    reads(({ id, state }) => ({ id, state })),
  ),
  pair(
    'a strict parser of items',
    'extra@$.lines[0]',
    reads((body) => {
      for (const line of body.lines)
        throwUnless(
          Object.keys(line).every((key) => ['title', 'price', 'kind'].includes(key)),
          'unexpected member',
        )
      return 0
    }),
    reads((body) => body.lines.map(({ title }: { title: string }) => title)),
  ),
  pair(
    'members are read by position',
    'order@$',
    reads((body) => (Number.parseInt(String(Object.values(body)[0]), 10).toFixed(0) === 'NaN' ? JSON.parse('') : 0)),
    reads((body) => body.id.toFixed(0)),
  ),
  pair(
    'a pattern instead of a parser',
    'order@$',
    fetches(async (response) => /^\{"id":(\d+),"state"/.exec(await response.text())?.[1]?.length ?? JSON.parse('')),
    fetches(async (response) => /"id":(\d+)/.exec(await response.text())?.[1]),
  ),
  pair(
    'all headers are known',
    'extra@header.X-Unknown-Header',
    fetches((response) => {
      throwUnless(
        [...response.headers.keys()].every((name) => !name.startsWith('x-')),
        'unknown header',
      )
      return response.json()
    }),
    fetches((response) => response.headers.get('content-type')),
  ),
  // Alternatives of another value or type.
  pair(
    'an alternative that is not handled',
    'branch@$.delivery=courier',
    reads(({ delivery }) => ({ post: 'a letter' })[delivery as 'post'].length),
    reads(({ delivery }) => ({ post: 'a letter' })[delivery as 'post']?.length),
  ),
  pair(
    'a number that can also be a text',
    'branch@$.reference=none',
    reads(({ reference }) => reference.toFixed(0)),
    reads(({ reference }) => String(reference)),
  ),
  // With axios.
  pair(
    'axios: a path through a null object',
    'null@$.customer',
    requests(({ customer }) => customer.name.toUpperCase()),
    requests(({ customer }) => customer?.name.toUpperCase()),
  ),
  pair(
    'axios: a total of no items',
    'empty-list@$.lines=0',
    requests(({ lines }) => {
      const [first, ...others] = lines
      return others.reduce((sum: number, line: { price: number }) => sum + line.price, first.price)
    }),
    requests(({ lines }) => lines.reduce((sum: number, line: { price: number }) => sum + line.price, 0)),
  ),
  pair(
    'axios: a state without a translation',
    'branch@$.state=shipped',
    requests(({ state }) => {
      const translated = new Map([
        ['open', 'offen'],
        ['paid', 'bezahlt'],
      ]).get(state)
      throwUnless(translated, `no translation of ${state}`)
      return translated
    }),
    requests(({ state }) => new Map([['open', 'offen']]).get(state) ?? state),
  ),
  pair(
    'axios: a key that is absent',
    'absent@$.prices.EUR',
    requests(({ prices }) => prices.EUR.toString()),
    requests(({ prices }) => Object.entries(prices)),
  ),
  // With zod.
  pair(
    'zod: an enum that is complete only today',
    'branch@$.state=shipped',
    parses(z.object({ state: z.enum(['open', 'paid']) })),
    parses(z.object({ state: z.enum(['open', 'paid']).catch('open') })),
  ),
  pair(
    'zod: an enum in a list',
    'branch@$.lines[0].kind=book',
    parses(z.object({ lines: z.array(z.object({ kind: z.literal('tool') })) })),
    parses(z.object({ lines: z.array(z.object({ kind: z.string() })) })),
  ),
  pair(
    'zod: optional is not nullable',
    'null@$.note',
    parses(z.object({ note: z.string().optional() })),
    parses(z.object({ note: z.string().nullish() })),
  ),
  pair(
    'zod: an object that is not nullable',
    'null@$.customer',
    parses(z.object({ customer: z.object({ name: z.string() }) })),
    parses(z.object({ customer: z.object({ name: z.string() }).nullable() })),
  ),
  pair(
    'zod: a list that is not empty',
    'empty-list@$.tags=0',
    parses(z.object({ tags: z.array(z.string()).nonempty() })),
    parses(z.object({ tags: z.array(z.string()) })),
  ),
  pair(
    'zod: a required key',
    'absent@$.prices.EUR',
    parses(z.object({ prices: z.object({ EUR: z.number() }) })),
    parses(z.object({ prices: z.record(z.string(), z.number()) })),
  ),
  pair(
    'zod: a strict object',
    'extra@$.lines[0]',
    parses(z.object({ lines: z.array(z.strictObject({ title: z.string(), price: z.number(), kind: z.string() })) })),
    parses(z.object({ lines: z.array(z.object({ title: z.string(), price: z.number(), kind: z.string() })) })),
  ),
  pair(
    'zod: a union without the other type',
    'branch@$.reference=none',
    parses(z.object({ reference: z.number() })),
    parses(z.object({ reference: z.union([z.number(), z.string()]) })),
  ),
]
