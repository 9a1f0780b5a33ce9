// The bodies and interactions that the scenarios use.
import { t } from './template.mjs'

/** A JSON body with exactly ten type matchers. */
export const tenMatchers = (i) => ({
  id: t.integer(i),
  name: t.string(`order ${i}`),
  price: t.decimal(12.5),
  active: t.boolean(true),
  uuid: t.uuid('3fa85f64-5717-4562-b3fc-2c963f66afa6'),
  createdAt: t.datetime("yyyy-MM-dd'T'HH:mm:ss", '2024-01-02T03:04:05'),
  email: t.regex('^[^@]+@[^@]+$', 'a@example.com'),
  status: t.regex('^(open|closed)$', 'open'),
  quantity: t.like(3),
  note: t.like('some text'),
})

/** A POST request and its response, each with a body of ten matchers. */
export const orderInteraction = (i) => ({
  description: `a request to create order ${i}`,
  states: [],
  request: {
    method: 'POST',
    path: `/orders/${i}`,
    headers: { 'Content-Type': 'application/json' },
    body: tenMatchers(i),
  },
  response: {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: tenMatchers(i),
  },
})

/** A GET request whose response has a body of ten matchers, optionally with a provider state. */
export const itemInteraction = (i, { state = false } = {}) => ({
  description: `a request for item ${i}`,
  states: state ? [{ name: 'an item exists', params: { id: i } }] : [],
  request: { method: 'GET', path: `/items/${i}` },
  response: {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: tenMatchers(i),
  },
})

/** One array element: 5 fields, about 100 bytes of JSON. */
export const element = (i) => ({
  id: i,
  name: `element number ${String(i).padStart(8, '0')}`,
  price: 10.25,
  active: true,
  tag: 'a-tag-of-some-length',
})
export const elementTemplate = () => ({
  id: t.integer(1),
  name: t.string('element'),
  price: t.decimal(1.5),
  active: t.boolean(true),
  tag: t.string('tag'),
})
export const elements = (n) => Array.from({ length: n }, (_, i) => element(i))
export const elementBytes = JSON.stringify(element(1)).length + 1
/** About `bytes` of JSON: { items: [...] } */
export const bodyOfSize = (bytes) => ({ items: elements(Math.max(1, Math.round((bytes - 12) / elementBytes))) })
