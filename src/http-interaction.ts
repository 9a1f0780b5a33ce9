import {
  bodyOptions,
  bytesData,
  type NamedValue,
  type NamedValues,
  pairs,
  partData,
  pathData,
  readable,
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
import { apply } from './handles.js'
import { type BodyOptions, Interaction, type Part } from './interaction.js'
import { present } from './made.js'
import type { NativeInteraction } from './native/binding.js'
import { testArguments } from './run-test.js'
import { isMatcher, type Matcher, tagOf } from './template.js'

/** The body of a request or a response that is one object. */
export type BodyDefinition = Pick<RequestDefinition, 'body' | 'binaryBody' | 'xmlBody' | 'contentType'>

/** A request and its response. */
export class HttpInteraction extends Interaction {
  readonly #serve: Serve

  /** @internal */
  constructor(native: NativeInteraction, serve: Serve) {
    super(native)
    this.#serve = serve
  }

  /** The request that the consumer makes. The path is a text or a matcher, without query. */
  withRequest(method: string, path: string | Matcher<string>): this
  /** The request as one object. */
  withRequest(request: RequestDefinition): this
  withRequest(first: string | RequestDefinition, path?: string | Matcher<string>): this {
    if (typeof first === 'string' || isMatcher(first)) {
      return apply(this, 'with_request', { method: first, path: path ?? null })
    }
    const request = readable('withRequest', () => partData('withRequest', first))
    return apply(this, 'with_request', {}, request ?? null)
  }

  /** Begins the response; from here on, calls without a part are about it. */
  willRespondWith(status: number | Matcher<number>): this
  /** The response as one object. */
  willRespondWith(response: ResponseDefinition): this
  willRespondWith(first: number | Matcher<number> | ResponseDefinition): this {
    if (isMatcher(first) || tagOf(first) !== 'Object')
      return apply(this, 'will_respond_with', { status: first ?? null })
    return apply(
      this,
      'will_respond_with',
      {},
      readable('willRespondWith', () => partData('willRespondWith', first)),
    )
  }

  /**
   * A GraphQL request in JSON. The query is compared as a document: blanks, line ends, commas and comments do not count,
   * the order of fields does.
   *
   * @example
   * interaction.withRequest('POST', '/graphql').withGraphQL({
   *   query: 'query User($id: ID!) { user(id: $id) { name } }',
   *   variables: { id: match.str('7') },
   * })
   */
  withGraphQL(request: GraphQLRequest, options?: BodyOptions | string, part?: Part): this {
    const [more, given] = bodyOptions(options, part)
    return apply(this, 'with_graphql', { ...requestData(request), ...more }, given)
  }

  /**
   * Adds a file to a multipart body (`multipart/form-data`), or begins one; without a path the part is empty. Any file of
   * the same type will do.
   */
  withMultipartFile(
    name: string,
    path: string | URL | null,
    options?: MultipartFileOptions | string,
    part?: Part,
    boundary?: string,
  ): this {
    const [more, given] = bodyOptions(options, part)
    return apply(
      this,
      'with_multipart_file',
      { name, path: pathData(path), ...(boundary !== undefined && { boundary }), ...more },
      given,
    )
  }

  /** Adds parts to a multipart body (`multipart/form-data`), or begins one. */
  withMultipart(
    parts: readonly MultipartPart[],
    options?: { readonly part?: Part | undefined; readonly boundary?: string | undefined },
  ): this {
    return apply(this, 'with_multipart', { parts: readable('withMultipart', () => partsData(parts)) }, options)
  }

  /**
   * A cookie: of the request one of those in `Cookie`, wherever it stands among them; of the response one `Set-Cookie` with
   * any attributes. The value is a text or `match.regex`; with any other matcher every value will do.
   */
  withCookie(name: string, value: string | Matcher<string>, part?: Part): this {
    return apply(this, 'with_cookie', { name, value, part })
  }

  /** `Authorization: Bearer …` with any token like the example. */
  withBearerToken(example: string): this {
    return apply(this, 'with_bearer_token', { example })
  }

  /** A header. Repeated calls add values; a text that is JSON with `value` is matcher JSON. */
  withHeader(name: string, value: NamedValue, part?: Part): this {
    return apply(this, 'with_header', { name, value, part })
  }

  /** Headers, each as with `withHeader`. */
  withHeaders(headers: NamedValues, part?: Part): this {
    return apply(this, 'with_headers', { headers: readable('withHeaders', () => pairs(headers)), part })
  }

  /** A header with a text that is not processed; replaces earlier values. */
  setHeader(name: string, value: string, part?: Part): this {
    return apply(this, 'set_header', { name, value, part })
  }

  /** Headers, each as with `setHeader`. */
  setHeaders(headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>, part?: Part): this {
    return apply(this, 'set_headers', { headers: readable('setHeaders', () => pairs(headers)), part })
  }

  /** A query parameter. Repeated calls add values; `null` is a name without value. */
  withQueryParameter(name: string, value: NamedValue | null): this {
    return apply(this, 'with_query_parameter', { name, value })
  }

  /** Query parameters, each as with `withQueryParameter`. */
  withQueryParameters(parameters: NamedValues): this {
    const given = readable('withQueryParameters', () => pairs(parameters))
    return apply(this, 'with_query_parameters', { parameters: given })
  }

  /**
   * How often the test requests it: a number, or bounds. Without: once or more. Only the mock server looks at this, the
   * contract file does not hold it.
   */
  times(times: number | Times): this {
    return apply(this, 'times', { times })
  }

  /** Lets the test leave it unrequested; then it does not reach the contract file. */
  optional(optional = true): this {
    return apply(this, 'optional', { optional })
  }

  /** @internal The types say that it does not exist; callers without types get the reason instead of "is not a function". */
  withMetadata(): this {
    return apply(this, 'with_metadata', { metadata: {} })
  }

  /** Serves this interaction alone, whether or not it was served before: short for `contract.serve({ only: [this] }, test)`. */
  executeTest<T>(test: ServeCallback<T>): Promise<T>
  executeTest<T>(options: Omit<ServeOptions, 'only' | 'all'>, test: ServeCallback<T>): Promise<T>
  async executeTest<T>(first: ServeCallback<T> | ServeOptions, second?: ServeCallback<T>): Promise<T> {
    const { options, test } = testArguments('executeTest', first, second)
    return this.#serve({ ...options, only: [this] }, test)
  }
}

/** Bounds on how often a test requests an interaction. */
export interface Times {
  /** Default: 1. */
  readonly min?: number | undefined
  /** Default: no bound. */
  readonly max?: number | undefined
}

type Serve = <T>(options: ServeOptions, test: ServeCallback<T>) => Promise<T>

function partsData(parts: readonly MultipartPart[]): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.map((part) => {
    if (tagOf(part) !== 'Object') return part
    const { file, bytes } = part
    return present({ ...part, file: pathData(file), bytes: bytesData('withMultipart', bytes) })
  })
}
