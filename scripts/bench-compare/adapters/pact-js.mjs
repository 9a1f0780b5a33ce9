// Adapter for @pact-foundation/pact, used as in its own documentation:
// one PactV4 object for a consumer/provider pair, executeTest() for each test,
// Verifier({ providerBaseUrl, pactUrls, stateHandlers }).verifyProvider().
import { importFrom, packageJsonOf } from '../lib/proc.mjs'
import { translate } from '../lib/template.mjs'

export const name = 'pact-js'
export const packageName = '@pact-foundation/pact'
/** Disables usage statistics over the network, which would distort the measurements. */
export const env = { PACT_DO_NOT_TRACK: 'true', SCARF_ANALYTICS: 'false' }

/** @param {{ dir: string, log: 'quiet' | 'default' }} o */
export async function load({ dir, log }) {
  const { PactV4, Verifier, MatchersV3: M } = await importFrom(dir, packageName)
  const logLevel = log === 'default' ? {} : { logLevel: 'error' }
  const make = {
    like: (_, v) => M.like(v),
    integer: (_, v) => M.integer(v),
    decimal: (_, v) => M.decimal(v),
    boolean: (_, v) => M.boolean(v),
    string: (_, v) => M.string(v),
    regex: (x, v) => M.regex(x.pattern, v),
    datetime: (x, v) => M.datetime(x.format, v),
    uuid: (_, v) => M.uuid(v),
    eachLike: (x, v) => M.eachLike(v, x.min),
  }
  const body = (b) => translate(b, make)

  return {
    version: packageJsonOf(dir, packageName).version,

    /** The path of the contract file of this pair, relative to the directory. */
    fileName: (consumer, provider) => `${consumer}-${provider}.json`,

    /** One reusable object for a consumer/provider pair, as in one test file. */
    consumer({ consumer, provider, dir: outDir }) {
      const pact = new PactV4({ consumer, provider, dir: outDir, ...logLevel })
      return {
        /** Defines, starts, runs fn({ url }), verifies, stops, writes the file. Rejects on a mismatch. */
        async serve(interactions, fn) {
          let last
          for (const i of interactions) {
            const b = pact.addInteraction()
            for (const s of i.states ?? []) b.given(s.name, s.params)
            last = b
              .uponReceiving(i.description)
              .withRequest(i.request.method, i.request.path, (r) => {
                if (i.request.headers) r.headers(i.request.headers)
                if (i.request.body !== undefined) r.jsonBody(body(i.request.body))
              })
              .willRespondWith(i.response.status, (r) => {
                if (i.response.headers) r.headers(i.response.headers)
                if (i.response.body !== undefined) r.jsonBody(body(i.response.body))
              })
          }
          return last.executeTest(fn)
        },
      }
    },

    /** Verifies one file. Resolves on success, and rejects with the product's report on failure. */
    verify({ provider, url, file, stateHandlers }) {
      return new Verifier({
        provider,
        providerBaseUrl: url,
        pactUrls: [file],
        ...(stateHandlers ? { stateHandlers } : {}),
        ...logLevel,
      }).verifyProvider()
    },
  }
}
