// Adapter for `contract`, used as in its own documentation: one Contract object for a
// consumer/provider pair with a directory, serve() for each test, Verifier for the provider.
import { importFrom, packageJsonOf } from '../lib/proc.mjs'
import { translate } from '../lib/template.mjs'

export const name = 'contract'
export const packageName = 'contract'

/** @param {{ dir: string, log: 'quiet' | 'default' }} o */
export async function load({ dir }) {
  const { Contract, Verifier, match } = await importFrom(dir, packageName)
  const make = {
    like: (_, v) => match.like(v),
    integer: (_, v) => match.int(v),
    decimal: (_, v) => match.float(v),
    boolean: (_, v) => match.bool(v),
    string: (_, v) => match.str(v),
    regex: (x, v) => match.regex(v, { regex: x.pattern }),
    datetime: (x, v) => match.datetime(v, { format: x.format, formatStyle: 'java' }),
    uuid: (_, v) => match.uuid(v),
    eachLike: (x, v) => match.eachLike(v, { min: x.min }),
  }
  const body = (b) => translate(b, make)

  return {
    version: packageJsonOf(dir, packageName).version,

    /** The path of the contract file of this pair, relative to the directory. */
    fileName: (consumer, provider) => `${consumer}-${provider}.json`,

    /** One reusable object for a consumer/provider pair, as in one test file. */
    consumer({ consumer, provider, dir: directory }) {
      // strict, because pact-js is always strict
      const contract = new Contract(consumer, provider, { directory, unexpectedFields: 'error' })
      return {
        async serve(interactions, fn) {
          for (const i of interactions) {
            const b = contract.uponReceiving(i.description)
            for (const s of i.states ?? []) b.given(s.name, { parameters: s.params ?? {} })
            b.withRequest(i.request.method, i.request.path)
            if (i.request.headers) b.withHeaders(i.request.headers)
            if (i.request.body !== undefined) b.withBody(body(i.request.body), { contentType: 'application/json' })
            b.willRespondWith(i.response.status)
            if (i.response.headers) b.withHeaders(i.response.headers)
            if (i.response.body !== undefined) b.withBody(body(i.response.body), { contentType: 'application/json' })
          }
          return contract.serve(fn)
        },
      }
    },

    /** Verifies one file. Resolves on success, and rejects with the product's report on failure. */
    verify({ provider, url, file, stateHandlers }) {
      const verifier = new Verifier(provider).addSource(file).addTransport({ url })
      if (stateHandlers) {
        verifier.stateHandler(
          Object.fromEntries(
            Object.entries(stateHandlers).map(([state, fn]) => [state, (_action, parameters) => fn(parameters)]),
          ),
        )
      }
      return verifier.verify()
    },
  }
}
