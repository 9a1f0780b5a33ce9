// Matchers in templates of realistic types: literal unions, string enums, dates, generic helpers.

import { Contract, type Generator, generate, type Infer, type Matcher, match, type Template } from 'contract'
import { expectTypeOf } from 'expect-type'

enum Size {
  Small = 'small',
  Large = 'large',
}

interface Item {
  readonly sku: string
  readonly size: Size
  readonly state: 'new' | 'used'
  readonly grade: 1 | 2 | 3
  readonly added: Date
  readonly gone?: Date
  readonly note?: string
  readonly rating: number | null
  readonly serial: bigint
  readonly active: true
}

const interaction = new Contract('web', 'shop').uponReceiving('a request')

// Literal unions and enums accept a matcher of their base type with a valid example.
const item: Template<Item> = {
  sku: match.str('A-1'),
  size: match.str(Size.Small),
  state: match.str('new'),
  grade: match.int(2),
  added: match.datetime(),
  gone: match.datetime('2024-02-29T13:45:00Z'),
  note: match.str(),
  rating: match.nullable(match.number(4.5)),
  serial: match.int(7n),
  active: match.bool(true),
}
interaction.withBody<Item>(item)
interaction.withBody<Item>({
  sku: 'A-1',
  size: Size.Large,
  state: match.regex('used', /new|used/),
  grade: match.number(3),
  added: '2024-02-29',
  rating: null,
  serial: 7n,
  active: true,
})
interaction.withBody<Item[]>(match.eachLike<Item>(item))
interaction.withBody<{ items: Item[] }>({ items: match.eachLike(item) })
interaction.withBody<{ items: readonly Item[]; more?: Item[] }>({ items: match.eachLike(item, { min: 2 }) })

// @ts-expect-error an unknown state
interaction.withBody<Pick<Item, 'state'>>({ state: match.str('gone') })
// @ts-expect-error an unknown grade
interaction.withBody<Pick<Item, 'grade'>>({ grade: match.int(4) })
// @ts-expect-error a string where a number is required
interaction.withBody<Pick<Item, 'rating'>>({ rating: match.str('4') })
// @ts-expect-error a number where a date is required
interaction.withBody<Pick<Item, 'added'>>({ added: match.int(4) })

// Without an expected type, matchers have their base type.
expectTypeOf(match.str('new')).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.str(Size.Small)).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.int(7n)).toEqualTypeOf<Matcher<number>>()
expectTypeOf(match.bool(true)).toEqualTypeOf<Matcher<boolean>>()
expectTypeOf(match.uuid()).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.regex('a', /a/)).toEqualTypeOf<Matcher<string>>()
expectTypeOf(match.eachKeyLike('a', { n: match.int(1) })).toEqualTypeOf<Matcher<Record<string, { n: number }>>>()
expectTypeOf(match.json<number>('1.0')).toEqualTypeOf<Matcher<number>>()

// Generic helpers with a type parameter.
function page<T>(of: Template<T>): Template<{ items: T[]; total: number }> {
  return { items: match.eachLike<T>(of), total: match.int(1) }
}
interaction.withBody<{ items: Item[]; total: number }>(page<Item>(item))
function maybe<T>(of: Template<T>): Matcher<Infer<T> | null> {
  return match.nullable<T>(of)
}
expectTypeOf(maybe<string>(match.str('a'))).toEqualTypeOf<Matcher<string | null>>()
expectTypeOf(match.eachLike<Item>(item)).toExtend<Template<Item[]>>()

// Optional members can be omitted; undefined is never written.
interface Sparse {
  readonly a?: string
  readonly b?: 'x' | 'y'
}
interaction.withBody<Sparse>({})
interaction.withBody<Sparse>({ a: match.str('a'), b: match.str('x') })
interaction.withBody<Sparse>({ b: match.like<'x' | 'y'>('x') })

// Options can be undefined, because wrappers pass them on.
const min: number | undefined = undefined as number | undefined
match.eachLike(1, { min, max: undefined })
match.int(undefined, { min })
generate.uuid({ format: undefined })

// The example of a template with dates.
expectTypeOf<Infer<{ at: Date; many: Date[] }>>().toEqualTypeOf<{ at: Date; many: Date[] }>()
expectTypeOf(generate.providerState<number>('${id}')).toEqualTypeOf<Generator<number>>()
