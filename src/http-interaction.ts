import {
  bodyOptions,
  bytesData,
  type NamedValue,
  type NamedValues,
  pairs,
  partData,
  pathData,
  readable,
  rejectCall,
} from './arguments.js'
import type { ServeCallback } from './contract.js'
import type {
  MultipartFileOptions,
  MultipartPart,
  RequestDefinition,
  ResponseDefinition,
} from './generated/definitions.js'
import type { ServeOptions } from './generated/options.js'
import { type GraphQLRequest, requestData } from './graphql-request.js'
import { apply, trackCalls } from './handles.js'
import { type BodyOptions, Interaction, type Part } from './interaction.js'
import { withoutUndefined } from './matcher-calls.js'
import type { NativeInteraction } from './native/binding.js'
import { origin } from './origin.js'
import { testArguments } from './run-test.js'
import { isMatcher, type Matcher, tagOf } from './template.js'

/** The members that set the body in a request or response defined as one object. */
export type BodyDefinition = Pick<RequestDefinition, 'body' | 'binaryBody' | 'xmlBody' | 'contentType'>

/** An HTTP interaction: a request and its response. Created by `Contract.uponReceiving`. */
export class HttpInteraction extends Interaction {
  readonly #serve: Serve

  /** @internal */
  constructor(native: NativeInteraction, serve: Serve) {
    super(native)
    this.#serve = serve
  }

  /** Sets the request that the consumer sends. `path` is a string or a matcher, without a query string. */
  withRequest(method: string, path: string | Matcher<string>): this
  /** Sets the request that the consumer sends, as one object. */
  withRequest(request: RequestDefinition): this
  withRequest(first: string | RequestDefinition, path?: string | Matcher<string>, callback?: unknown): this {
    rejectCallback('withRequest', callback, "withRequest('POST', '/orders').withHeader(…).withBody(…)")
    if (typeof first === 'string' || isMatcher(first)) {
      return apply(this, 'with_request', { method: first, path: path ?? null })
    }
    const request = readable('withRequest', () => partData('withRequest', first))
    return apply(this, 'with_request', {}, request ?? null)
  }

  /** Sets the status of the response. Later calls apply to the response unless they set `part`. */
  willRespondWith(status: number | Matcher<number>): this
  /** Sets the response as one object. Later calls apply to the response unless they set `part`. */
  willRespondWith(response: ResponseDefinition): this
  willRespondWith(first: number | Matcher<number> | ResponseDefinition, callback?: unknown): this {
    rejectCallback('willRespondWith', callback, 'willRespondWith(200).withHeader(…).withBody(…)')
    if (isMatcher(first) || isMatcherJson(first) || tagOf(first) !== 'Object')
      return apply(this, 'will_respond_with', { status: first ?? null })
    return apply(
      this,
      'will_respond_with',
      {},
      readable('willRespondWith', () => partData('willRespondWith', first)),
    )
  }

  /**
   * Sets a GraphQL request as the JSON body. Whitespace, line breaks, commas, and comments in the query are ignored in
   * comparisons. The order of fields matters.
   *
   * @example
   * interaction.withRequest('POST', '/graphql').withGraphQL({
   *   query: 'query User($id: ID!) { user(id: $id) { name } }',
   *   variables: { id: match.str('7') },
   * })
   */
  withGraphQL(request: GraphQLRequest, options?: BodyOptions | string, part?: Part): this {
    const [bodyArguments, rest] = bodyOptions(options, part)
    return apply(this, 'with_graphql', { ...requestData(request), ...bodyArguments }, rest)
  }

  /**
   * Adds a file to a multipart body (`multipart/form-data`), which the first call creates. If `path` is null, the part
   * is empty. Any file of the same type matches.
   */
  withMultipartFile(
    name: string,
    path: string | URL | null,
    options?: MultipartFileOptions | string,
    part?: Part,
    boundary?: string,
  ): this {
    const [bodyArguments, rest] = bodyOptions(options, part)
    return apply(
      this,
      'with_multipart_file',
      { name, path: pathData(path), ...(boundary !== undefined && { boundary }), ...bodyArguments },
      rest,
    )
  }

  /** Adds parts to a multipart body (`multipart/form-data`), which the first call creates. */
  withMultipart(
    parts: readonly MultipartPart[],
    options?: { readonly part?: Part | undefined; readonly boundary?: string | undefined },
  ): this {
    return apply(this, 'with_multipart', { parts: readable('withMultipart', () => partsData(parts)) }, options)
  }

  /**
   * Adds a cookie. In a request, the `Cookie` header must contain it at any position. In a response, a `Set-Cookie`
   * header must set it, with any attributes. `value` is a string or `match.regex`. With any other matcher, all values
   * match.
   */
  withCookie(name: string, value: string | Matcher<string>, part?: Part): this {
    return apply(this, 'with_cookie', { name, value, part })
  }

  /**
   * Expects the `Authorization: Bearer …` header with any token. The contract file contains `example` as the token.
   */
  withBearerToken(example: string): this {
    return apply(this, 'with_bearer_token', { example })
  }

  /**
   * Adds a header. Repeated calls add further values. A string that contains a JSON object with a `value` member is
   * parsed as a matcher.
   */
  withHeader(name: string, value: NamedValue, part?: Part): this {
    return apply(this, 'with_header', { name, value, part })
  }

  /** Adds multiple headers, as an object or as name-value pairs. The values are those of `withHeader`. */
  withHeaders(headers: NamedValues, part?: Part): this {
    return apply(this, 'with_headers', { headers: readable('withHeaders', () => pairs(headers)), part })
  }

  /** Sets a header and replaces earlier values. The string is used unchanged, even if it contains matcher JSON. */
  setHeader(name: string, value: string, part?: Part): this {
    return apply(this, 'set_header', { name, value, part })
  }

  /** Sets multiple headers and replaces earlier values. The strings are used unchanged. */
  setHeaders(headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>, part?: Part): this {
    return apply(this, 'set_headers', { headers: readable('setHeaders', () => pairs(headers)), part })
  }

  /** Adds a query parameter. Repeated calls add further values. `null` adds the name without a value (`?name`). */
  withQueryParameter(name: string, value: NamedValue | null): this {
    return apply(this, 'with_query_parameter', { name, value })
  }

  /**
   * Adds multiple query parameters, as an object or as name-value pairs. The values are those of `withQueryParameter`.
   */
  withQueryParameters(parameters: NamedValues): this {
    const data = readable('withQueryParameters', () => pairs(parameters))
    return apply(this, 'with_query_parameters', { parameters: data })
  }

  /**
   * Sets the number of times that the test must send the request: an exact number, or a minimum and a maximum. Default:
   * at least once. The mock server checks the number; the contract file does not contain it.
   */
  times(times: number | Times): this {
    return apply(this, 'times', { times })
  }

  /** Allows the test to omit the request. If it does, the interaction is not written to the contract file. */
  optional(optional = true): this {
    return apply(this, 'optional', { optional })
  }

  /** @internal Not part of the public types. For untyped callers, the core explains why the call is not supported. */
  withMetadata(): this {
    return apply(this, 'with_metadata', { metadata: {} })
  }

  /**
   * Serves only this interaction, even if it was already served. Shorthand for `contract.serve({ only: [this] },
   * test)`.
   */
  executeTest<T>(test: ServeCallback<T>): Promise<T>
  executeTest<T>(options: Omit<ServeOptions, 'only' | 'all'>, test: ServeCallback<T>): Promise<T>
  async executeTest<T>(first: ServeCallback<T> | ServeOptions, second?: ServeCallback<T>): Promise<T> {
    const place = origin(this.executeTest)
    const { options, test } = testArguments('executeTest', first, second)
    return this.#serve({ ...options, only: [this] }, test, place)
  }
}

/** The number of times that the test must send the request. */
export interface Times {
  /** Minimum number of requests. Default: 1. */
  readonly min?: number | undefined
  /** Maximum number of requests. Default: unlimited. */
  readonly max?: number | undefined
}

type Serve = <T>(options: ServeOptions, test: ServeCallback<T>, place: string) => Promise<T>

/** Returns whether the value is matcher JSON, as `matchStatus` in pact-js returns it. */
function isMatcherJson(value: unknown): boolean {
  const has = (name: string) => Object.hasOwn(value as object, name)
  return tagOf(value) === 'Object' && (has('contract:matcher:type') || has('pact:matcher:type'))
}

/**
 * Rejects a callback, with which pact-js defines the rest of a request or response, and suggests calls to use instead.
 */
function rejectCallback(call: string, callback: unknown, instead: string): void {
  if (callback === undefined) return
  const found = typeof callback === 'function' ? 'a callback' : `a further argument (${tagOf(callback)})`
  rejectCall(call, `${found} is not supported. Chain the calls instead: ${instead}`)
}

function partsData(parts: readonly MultipartPart[]): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.map((part) => {
    if (tagOf(part) !== 'Object') return part
    const { file, bytes } = part
    return withoutUndefined({ ...part, file: pathData(file), bytes: bytesData('withMultipart', bytes) })
  })
}

trackCalls(HttpInteraction)
