// Random expectations for this package and for pact-js, values that satisfy them, and values with one random change.
import { match } from 'contract'
import type { Random } from '../../support/random.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** An expected value with matchers, in a form that both packages can build. */
export type Node =
  | { readonly kind: 'literal' | 'equal'; readonly value: Json }
  | { readonly kind: 'integer' | 'decimal' | 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'string' | 'uuid' | 'includes'; readonly value: string }
  | { readonly kind: 'regex'; readonly value: string; readonly pattern: string; readonly other: string }
  | {
      readonly kind: 'date' | 'time' | 'datetime'
      readonly value: string
      readonly format: string
      readonly other: string
    }
  | { readonly kind: 'null' }
  | { readonly kind: 'like'; readonly of: Node }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Node>> }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'eachLike'; readonly of: Node; readonly min: number; readonly max?: number }
  | { readonly kind: 'eachValue'; readonly value: Readonly<Record<string, Json>>; readonly of: Node }

/** A value of the request that a state handler provides, which is `7`. */
export interface Provided {
  readonly expression: string
  readonly value: string
}

export interface Expectation {
  readonly path: string
  /** Appended to the path: the path of the request is then a value from a state handler. */
  readonly id?: Provided
  readonly states: readonly { readonly name: string; readonly parameters?: Readonly<Record<string, Json>> }[]
  readonly method: string
  readonly query: Readonly<Record<string, readonly Node[]>>
  readonly requestHeaders: Readonly<Record<string, Node>>
  readonly requestBody?: Node
  readonly status: number
  readonly headers: Readonly<Record<string, Node>>
  readonly body?: Node
}

/** A request to a mock server. */
export interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
}

const NAMES = ['id', 'name', 'a b', 'a.b', 'größe', '0', 'type']
const regexes = [
  { kind: 'regex', pattern: '^[a-z]{3}$', value: 'abc', other: 'xyz' },
  { kind: 'regex', pattern: '\\d+', value: '7', other: 'no 4711' },
  { kind: 'regex', pattern: '^(on|off)$', value: 'on', other: 'off' },
] as const
const moments = [
  { kind: 'date', format: 'yyyy-MM-dd', value: '2024-01-02', other: '1999-12-31' },
  { kind: 'time', format: 'HH:mm:ss', value: '03:04:05', other: '23:59:59' },
  { kind: 'datetime', format: "yyyy-MM-dd'T'HH:mm:ss", value: '2024-01-02T03:04:05', other: '1999-12-31T23:59:59' },
] as const

function scalar(random: Random): Node {
  return random.of<() => Node>([
    () => ({ kind: 'literal', value: random.of<Json>([1, 0, -3, 1.5, 'text', '', true, false, null, '7', 'é']) }),
    () => ({ kind: 'integer', value: random.of([0, 1, -7, 100]) }),
    () => ({ kind: 'decimal', value: random.of([0.5, -1.25, 100.1]) }),
    () => ({ kind: 'number', value: random.of([0, 1.5, -7]) }),
    () => ({ kind: 'boolean', value: random.once(2) }),
    () => ({ kind: 'string', value: random.of(['text', 'a "b"', 'é']) }),
    () => ({ kind: 'uuid', value: '0b8f4f52-0c52-4a36-b0d4-4a1f3f9f3c55' }),
    () => ({ kind: 'includes', value: random.of(['b', 'ab']) }),
    () => ({ kind: 'equal', value: random.of<Json>([1, 'text', true]) }),
    () => ({ kind: 'null' }),
    () => random.of(regexes),
    () => random.of(moments),
  ])()
}

export function randomNode(random: Random, depth: number): Node {
  const kind = random.below(depth === 0 ? 4 : 10)
  if (kind < 4) return scalar(random)
  if (kind < 7) {
    const names = random.some(NAMES)
    return { kind: 'object', fields: Object.fromEntries(names.map((name) => [name, randomNode(random, depth - 1)])) }
  }
  if (kind < 8) {
    if (random.once(4)) return { kind: 'eachValue', value: { a: 1, b: 2 }, of: { kind: 'integer', value: 1 } }
    return { kind: 'array', items: Array.from({ length: random.below(3) }, () => randomNode(random, depth - 1)) }
  }
  if (kind < 9) return { kind: 'like', of: plain(random, depth) }
  const min = 1 + random.below(2)
  return {
    kind: 'eachLike',
    of: randomNode(random, depth - 1),
    min,
    ...(random.once(3) && { max: min + random.below(2) }),
  }
}

/** The contents of `like`: values, and matchers in objects. */
function plain(random: Random, depth: number): Node {
  const node = randomNode(random, depth - 1)
  return node.kind === 'object'
    ? node
    : { kind: 'literal', value: random.of<Json>([1, 1.5, 'text', true, { a: 1 }, [1], ['a', 'b']]) }
}

export function exampleOf(node: Node): Json {
  switch (node.kind) {
    case 'null':
      return null
    case 'like':
      return exampleOf(node.of)
    case 'object':
      return Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [name, exampleOf(field)]))
    case 'array':
      return node.items.map(exampleOf)
    case 'eachLike':
      return Array.from({ length: node.min }, () => exampleOf(node.of))
    default:
      return node.value
  }
}

/** Another value that the matchers accept. */
export function otherOf(node: Node, random: Random): Json {
  switch (node.kind) {
    case 'integer':
      return random.of([1, -20, 12345])
    case 'decimal':
      return random.of([1.5, -0.001])
    case 'number':
      return random.of([1, 2.5])
    case 'boolean':
      return random.once(2)
    case 'string':
      return random.of(['', 'other'])
    case 'uuid':
      return 'c3b7c2a4-9b3e-4f6a-8f33-0c2f5a1f9d11'
    case 'includes':
      return `x${node.value}x`
    case 'regex':
    case 'date':
    case 'time':
    case 'datetime':
      return node.other
    case 'like':
      return node.of.kind === 'literal' ? node.of.value : otherOf(node.of, random)
    case 'object':
      return Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [name, otherOf(field, random)]))
    case 'array':
      return node.items.map((item) => otherOf(item, random))
    case 'eachLike': {
      const length = random.of([node.min, node.max ?? node.min + 2])
      return Array.from({ length }, () => otherOf(node.of, random))
    }
    case 'eachValue':
      return { a: 3, c: 4 }
    default:
      return exampleOf(node)
  }
}

// Objects and lists have neither letters nor digits that a pattern of `regexes` or `includes` would find in their text: pact-js also
// applies patterns to the text of objects and lists (decision 3). No value is the string `true`: the `boolean` rule, which pact-js does
// not write, accepts it in every implementation.
const VALUES: readonly Json[] = [1, -7, 0.5, 1e3, 'x', 'abc', '', '12', true, false, null, [], [[]], {}, { x: {} }]

/** Changes a random part of a value. */
export function changed(value: Json, random: Random): Json {
  if (typeof value === 'object' && value !== null && random.below(4) > 0) {
    if (Array.isArray(value)) {
      const items = [...(value as readonly Json[])]
      const index = random.below(items.length)
      const kind = random.below(4)
      if (items.length === 0 || kind === 0) return [...items, random.of([...VALUES, ...items])]
      if (kind === 1) return items.filter((_, other) => other !== index)
      return items.map((item, other) => (other === index ? changed(item, random) : item))
    }
    const entries = Object.entries(value)
    const kind = random.below(5)
    if (entries.length === 0 || kind === 0) return { ...value, extra: random.of(VALUES) }
    const [name] = random.of(entries)
    if (kind === 1) return Object.fromEntries(entries.filter(([other]) => other !== name))
    return Object.fromEntries(entries.map(([other, field]) => [other, other === name ? changed(field, random) : field]))
  }
  return random.of(VALUES)
}

/** Builds an expected value with the matchers of this package. */
export function built(node: Node): unknown {
  switch (node.kind) {
    case 'literal':
      return node.value
    case 'equal':
      return match.equal(node.value)
    case 'integer':
      return match.int(node.value)
    case 'decimal':
      return match.float(node.value)
    case 'number':
      return match.number(node.value)
    case 'boolean':
      return match.bool(node.value)
    case 'string':
      return match.str(node.value)
    case 'uuid':
      return match.uuid(node.value)
    case 'includes':
      return match.includes(node.value)
    case 'regex':
      return match.regex(node.value, new RegExp(node.pattern))
    case 'date':
      return match.date(node.value, { format: node.format })
    case 'time':
      return match.time(node.value, { format: node.format })
    case 'datetime':
      return match.datetime(node.value, { format: node.format })
    case 'null':
      return null
    case 'like':
      return match.like(built(node.of))
    case 'object':
      return Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [name, built(field)]))
    case 'array':
      return node.items.map(built)
    case 'eachLike': {
      const { min, max, of } = node
      return max === undefined ? match.atLeastLike(built(of), min) : match.constrainedArrayLike(built(of), min, max)
    }
    case 'eachValue':
      return match.eachValueMatches(node.value, built(node.of) as never)
  }
}

/**
 * pact-js writes no body for falsy values, and base64 for JSON text with quotes or non-ASCII letters. A literal
 * string is plain text in this package, and JSON text in pact-js.
 */
function isWritten(body: Node): boolean {
  const example = exampleOf(body)
  return (
    Boolean(example) &&
    !(typeof example === 'string' && (body.kind === 'literal' || !/^[^"\x80-\uffff]*$/.test(example)))
  )
}

/**
 * Whether a node is an object or array. The mock server of pact-js treats some other JSON text as `text/plain`, and its verifier
 * sends strings without quotes.
 */
const isContainer = (body: Node) => typeof exampleOf(body) === 'object' && exampleOf(body) !== null

/** Strings in queries and headers. */
function text(random: Random): Node {
  return random.of<Node>([
    { kind: 'literal', value: random.of(['x', 'a b', 'é&=?', '7', '']) },
    { kind: 'string', value: 'text' },
    regexes[0],
    regexes[1],
    moments[0],
  ])
}

function header(random: Random): Node {
  return random.of<Node>([regexes[1], { kind: 'literal', value: 'a, b' }, { kind: 'literal', value: 'x' }])
}

export function randomExpectation(random: Random, index: number): Expectation {
  const body = randomNode(random, 3)
  const requestBody = randomNode(random, 3)
  const names = random.some(['q', 'page size', 'ids[]'])
  const method = random.of(['GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
  const values = () => Array.from({ length: 1 + random.below(2) }, () => text(random))
  // Here, parameters of repeated calls with one name are combined.
  const states = random.some([
    { name: 'a user', ...(random.once(2) && { parameters: { id: 1, nested: { a: [1, null] } } }) },
    { name: 'größe "x"' },
  ])
  // Here, a value that no state handler returns is an error. pact-js sends the example.
  const isFound = states[0]?.name === 'a user'
  return {
    path: `/${index}`,
    ...(isFound && random.once(2) && { id: { expression: `/${index}/\${id}`, value: `/${index}/1` } }),
    states,
    method,
    query: Object.fromEntries(names.map((name) => [name, values()])),
    requestHeaders: random.once(3) ? { 'X-Ask': header(random) } : {},
    ...(method[0] === 'P' && isContainer(requestBody) && { requestBody }),
    status: random.of([200, 200, 201, 404]),
    headers: random.once(3) ? { 'X-Kind': header(random) } : {},
    ...(random.below(10) > 0 && isWritten(body) && { body }),
  }
}

/** The request of an expectation with other accepted values, often with one change. */
export function randomRequest(expectation: Expectation, random: Random, isExample: boolean): Asked {
  const { path, id, query, requestHeaders, requestBody } = expectation
  const change = isExample ? 7 : random.below(8)
  const value = (node: Node, changes: boolean) =>
    String(changes ? random.of(['x', '12', '']) : isExample ? exampleOf(node) : otherOf(node, random))
  // A rule for a parameter applies to all values that are received. The mock server of pact-js also expects their number, which the
  // file does not contain.
  const isFixed = (name: string) => query[name]?.some(({ kind }) => kind !== 'literal')
  const parameters = Object.entries(query).flatMap(([name, nodes]) =>
    nodes.map((node) => [name, value(node, change === 0)] as const),
  )
  const removed = random.below(parameters.length + 1)
  if (change === 1 && !isFixed(parameters[removed]?.[0] ?? '')) parameters.splice(removed, 1)
  if (change === 2) parameters.push(isFixed('q') || random.once(2) ? ['extra', ''] : ['q', 'x'])
  if (!isExample && random.once(3)) parameters.reverse()
  const search = parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const headers = Object.entries(requestHeaders).map(([name, node]) => [name, value(node, change === 3)] as const)
  const body = requestBody && (isExample || random.once(3) ? exampleOf(requestBody) : otherOf(requestBody, random))
  return {
    // pact-js answers OPTIONS itself.
    method: change === 4 ? (expectation.method === 'PUT' ? 'POST' : 'PUT') : expectation.method,
    // pact-js accepts every path if it has a value from a state handler.
    target: `${id?.value ?? path}${change === 5 && !id ? '/' : ''}${search && `?${search}`}`,
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { body: change === 6 ? changed(body, random) : body }),
  }
}

export function randomAnswer(expectation: Expectation, random: Random): Answer {
  const { status, headers, body } = expectation
  const values = (node: Node) => String(random.once(4) ? random.of(['a,b', 'b', 'x', '12']) : otherOf(node, random))
  const named = Object.entries(headers).filter(() => random.below(8) > 0)
  const answered = body && (random.once(3) ? exampleOf(body) : otherOf(body, random))
  return {
    status: random.once(12) ? 500 : status,
    headers: Object.fromEntries(named.map(([name, node]) => [name, values(node)])),
    ...(answered !== undefined && { body: random.once(3) ? answered : changed(answered, random) }),
  }
}
