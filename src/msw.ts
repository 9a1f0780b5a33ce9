/**
 * Serves contracts with Mock Service Worker, in Node, in test environments such as jsdom, and in browsers. This module
 * contains no native code: the matching engine is compiled to WebAssembly.
 *
 * @module contract/msw
 */

import { type HttpHandler, HttpResponse, http } from 'msw'
import {
  type ContractMock,
  type ContractMockOptions,
  type ContractSource,
  isWithoutBody,
  type MockResponse,
  problemOf,
  ServedContracts,
  type UnmatchedOptions,
  type UnmatchedRequest,
} from './engine/index.js'

export type * from './engine/types.js'

/** Options for `handlersFrom`. */
export interface HandlersOptions
  extends ContractMockOptions,
    UnmatchedOptions<
      (unmatched: UnmatchedRequest, request: Request) => Response | undefined | Promise<Response | undefined>
    > {}

/** Mock Service Worker handlers, with the contracts that they serve. */
export type ContractHandlers = HttpHandler[] & ContractMock

/**
 * Creates handlers that respond as defined by the contracts. A request must match an interaction completely: method,
 * path, query, headers, and body, by the same rules as in a verification. Generators of the response are applied.
 *
 * If multiple interactions match, those whose path has no matching rule precede the others. Among these, the first
 * contract in the list and the first interaction in the contract respond. If states are selected, interactions with the
 * most states respond first.
 *
 * @example
 * import { readFileSync } from 'node:fs'
 * import { handlersFrom } from 'contract/msw'
 * import { setupServer } from 'msw/node'
 *
 * const contract = readFileSync('contracts/web-users.json')
 * const handlers = await handlersFrom(contract, { baseUrl: 'https://api.example.com' })
 * const server = setupServer(...handlers)
 * handlers.setStates(['user 7 exists'])
 * @param contracts - a contract or an array of contracts
 * @throws {Error} with a `code`: `ERR_CONTRACT_SOURCE` if a contract is invalid or there is nothing to serve,
 * `ERR_CONTRACT_PLUGIN` if an interaction requires a plugin, `ERR_CONTRACT_CONFLICT`, and `ERR_CONTRACT_OPTIONS`
 */
export async function handlersFrom(
  contracts: ContractSource | readonly ContractSource[],
  options: HandlersOptions = {},
): Promise<ContractHandlers> {
  const served = await ServedContracts.open('handlersFrom', contracts, options, ['onUnmatched'])
  const handler = http.all(
    // The predicate creates the response. If it matched all requests, MSW would not warn about unhandled requests.
    async ({ request, cookies }) => {
      const response = await respond(served, options, request, cookies)
      return { matches: response !== undefined, params: { response } as never }
    },
    ({ params }) => (params as unknown as { readonly response: Response }).response,
  )
  return Object.assign([handler], {
    interactions: served.interactions,
    conflicts: served.conflicts,
    setStates: served.setStates.bind(served),
    reset: served.reset.bind(served),
  })
}

async function respond(
  served: ServedContracts,
  { onUnmatched }: HandlersOptions,
  request: Request,
  cookies: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  const url = new URL(request.url)
  if (served.pathOf(url) === undefined) return undefined
  const body = new Uint8Array(await request.clone().arrayBuffer())
  const { method } = request
  const answer = await served.answer({ method, url, headers: headersOf(request, cookies), body })
  if (answer === undefined) return undefined
  if (answer.response !== undefined) return responseOf(answer.response)
  const { unmatched } = answer
  if (typeof onUnmatched === 'function') return onUnmatched(unmatched, request)
  const responds = onUnmatched === undefined ? served.isOwn(unmatched) : onUnmatched === 'respond'
  return responds ? responseOf(problemOf(unmatched)) : undefined
}

/** Returns the request's headers and its cookies, which browsers do not expose in the headers. */
function headersOf(request: Request, cookies: Readonly<Record<string, string>>): [string, string][] {
  const headers: [string, string][] = []
  request.headers.forEach((value, name) => {
    headers.push([name, value])
  })
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
  if (pairs.length > 0 && !request.headers.has('cookie')) headers.push(['cookie', pairs.join('; ')])
  return headers
}

function responseOf({ status, headers, body }: MockResponse): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  return new HttpResponse(isWithoutBody(status) ? null : body, init)
}
