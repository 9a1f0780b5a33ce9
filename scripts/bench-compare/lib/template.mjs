// A small product-neutral language for "an example value plus how to match it".
// Adapters translate it into their product's matchers (see translate()), and
// lib/contract-file.mjs renders it into a Pact V4 file without any product.

const TAG = Symbol.for('bench.matcher')
const m = (kind, props) => ({ [TAG]: kind, ...props })

export const t = {
  like: (value) => m('like', { value }),
  integer: (value) => m('integer', { value }),
  decimal: (value) => m('decimal', { value }),
  boolean: (value) => m('boolean', { value }),
  string: (value) => m('string', { value }),
  regex: (pattern, value) => m('regex', { pattern, value }),
  datetime: (format, value) => m('datetime', { format, value }),
  uuid: (value) => m('uuid', { value }),
  eachLike: (value, min = 1) => m('eachLike', { value, min }),
}

export const kindOf = (x) => (x !== null && typeof x === 'object' ? x[TAG] : undefined)

/** Rebuilds a template with `make[kind](node, translatedValue)` for each matcher. */
export function translate(x, make) {
  const kind = kindOf(x)
  if (kind) return make[kind](x, translate(x.value, make))
  if (Array.isArray(x)) return x.map((v) => translate(v, make))
  if (x !== null && typeof x === 'object') {
    return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, translate(v, make)]))
  }
  return x
}

/** The plain example JSON of a template. */
export function example(x) {
  const kind = kindOf(x)
  if (kind === 'eachLike') return Array.from({ length: x.min }, () => example(x.value))
  if (kind) return example(x.value)
  if (Array.isArray(x)) return x.map(example)
  if (x !== null && typeof x === 'object') {
    return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, example(v)]))
  }
  return x
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const RULE = {
  like: () => ({ match: 'type' }),
  string: () => ({ match: 'type' }),
  integer: () => ({ match: 'integer' }),
  decimal: () => ({ match: 'decimal' }),
  boolean: () => ({ match: 'boolean' }),
  regex: (x) => ({ match: 'regex', regex: x.pattern }),
  datetime: (x) => ({ match: 'datetime', format: x.format }),
  uuid: () => ({ match: 'regex', regex: UUID }),
  eachLike: (x) => ({ match: 'type', min: x.min }),
}

/** Body matching rules of a template, as in a Pact V3/V4 file. */
export function bodyRules(x, path = '$', out = {}) {
  const kind = kindOf(x)
  if (kind) {
    out[path] = { combine: 'AND', matchers: [RULE[kind](x)] }
    if (kind === 'eachLike') bodyRules(x.value, `${path}[*]`, out)
    else bodyRules(x.value, path, out)
  } else if (Array.isArray(x)) {
    for (const [i, v] of x.entries()) bodyRules(v, `${path}[${i}]`, out)
  } else if (x !== null && typeof x === 'object') {
    for (const [k, v] of Object.entries(x)) bodyRules(v, `${path}.${k}`, out)
  }
  return out
}
