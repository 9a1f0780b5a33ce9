import {
  Contract,
  example,
  type Generator,
  generate,
  type Infer,
  type Matcher,
  match,
  type Template,
  xml,
} from 'contract'
import { expectTypeOf } from 'expect-type'

const interaction = new Contract('web', 'users').uponReceiving('a request')

interface Address {
  readonly street: string
  city?: string
}

interface User {
  id: number
  name: string | null
  status: 'active' | 'inactive'
  tags: readonly string[]
  address: Address
  previous?: Address[]
}

// Examples determine the type of a matcher.
expectTypeOf(match.int(7)).toEqualTypeOf<Matcher<number>>()
expectTypeOf(match.str('a')).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.null()).toEqualTypeOf<Matcher<null>>()
expectTypeOf(match.eachLike({ id: match.int(7) })).toEqualTypeOf<Matcher<{ id: number }[]>>()
expectTypeOf(match.nullable<string>('a')).toEqualTypeOf<Matcher<string | null>>()
expectTypeOf(match.any(match.int(1), match.str('a'))).toEqualTypeOf<Matcher<number | string>>()
expectTypeOf(match.any('a', 'b', null)).toEqualTypeOf<Matcher<'a' | 'b' | null>>()
expectTypeOf(match.all(match.str('a'), match.includes('a'))).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.fromProviderState('id', 7)).toEqualTypeOf<Matcher<number>>()
expectTypeOf(generate.int()).toEqualTypeOf<Generator<number>>()
expectTypeOf(generate.uuid()).toEqualTypeOf<Generator<string>>()

// Templates fit interfaces, with optional and readonly members and unions.
interaction.withBody<User>({
  id: match.int(7),
  name: match.nullable<string>('Alice'),
  status: match.like('active'),
  tags: match.eachLike('new'),
  address: { street: match.str('High Street') },
  previous: match.eachLike({ street: match.str('Low Street'), city: match.str('Bath') }),
})
interaction.withBody<User>(
  match.like({
    id: 7,
    name: null,
    status: 'inactive',
    tags: ['a', match.str('b')],
    address: match.like({ street: 'x' }),
  }),
)
expectTypeOf<{ id: Matcher<number>; name: null; status: 'active'; tags: []; address: Address }>().toExtend<
  Template<User>
>()

// @ts-expect-error an id is a number
interaction.withBody<User>({ id: match.str('7'), name: null, status: 'active', tags: [], address: { street: 'x' } })
// @ts-expect-error an unknown status
interaction.withBody<User>({ id: 7, name: null, status: 'gone', tags: [], address: { street: 'x' } })
// @ts-expect-error an unknown field
interaction.withBody<User>({ id: 7, name: null, status: 'active', tags: [], address: { street: 'x' }, nick: 'al' })
// @ts-expect-error a missing field
interaction.withBody<User>({ id: 7, name: null, status: 'active', tags: [] })
// @ts-expect-error a nested field of the wrong type
interaction.withBody<User>({ id: 7, name: null, status: 'active', tags: [], address: { street: match.int(1) } })

// The example of a template has the plain type.
const body = {
  id: match.int(7),
  name: match.nullable<string>('Alice'),
  nested: { tags: match.eachLike(match.str('new')), fixed: 1, at: generate.datetime() },
  list: [match.bool(true)],
}
expectTypeOf<Infer<typeof body>>().toEqualTypeOf<{
  id: number
  name: string | null
  nested: { tags: string[]; fixed: number; at: string }
  list: boolean[]
}>()
expectTypeOf(example(body)).toEqualTypeOf<Infer<typeof body>>()
expectTypeOf(example(match.eachLike({ id: match.int(7) }))).toEqualTypeOf<{ id: number }[]>()
expectTypeOf<Infer<User>>().toExtend<User>()

// Objects for requests, responses and whole interactions have typed members.
interaction.withRequest({
  method: 'GET',
  path: match.regex('/a', /\/./),
  query: new URLSearchParams(),
  headers: new Headers(),
})
interaction.willRespondWith({ status: match.status('success'), body: xml.element('a', { id: match.int(1) }, 'text') })
// @ts-expect-error a request has no status
interaction.withRequest({ status: 200 })
// @ts-expect-error a response has no method
interaction.willRespondWith({ method: 'GET' })
// @ts-expect-error a path is a string
interaction.withRequest('GET', match.int(1))
// @ts-expect-error name requires value
interaction.given('a state', { name: 'id' })
// @ts-expect-error an asynchronous message has no response
new Contract('web', 'users').uponReceiving('an event', 'Async').willRespondWith()
// @ts-expect-error a message has no form body
xml.element('a', { id: [1] })
