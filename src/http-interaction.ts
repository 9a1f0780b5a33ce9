import {
  bytesOf,
  definition,
  isBytes,
  type NamedValue,
  type NamedValues,
  pairs,
  present,
  refuseCall,
  refuseUnknown,
} from './arguments.js'
import type { ServeCallback, ServeOptions } from './contract.js'
import { pathOf } from './directory.js'
import { type GraphQLRequest, requestText } from './graphql-request.js'
import { type BodyOptions, Interaction, type Part } from './interaction.js'
import { make } from './made.js'
import type { NativeInteraction } from './native/binding.js'
import { check } from './native/result.js'
import { isMatcher, type Matcher, type Template, toJsonText } from './template.js'

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** The type of the file; told from its content when absent. */
  readonly contentType?: string
  /** The name of the file in the body. Default: that of the path. */
  readonly filename?: string
  /** What stands between the parts of the body. Default: a text that occurs in none of them. */
  readonly boundary?: string
  /** The part of the interaction; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: Part
}

/** A part of a multipart body: a name, one of `json`, `text`, `file` and `bytes`, and how it is sent. */
export interface MultipartPart {
  /** The name of the form field. */
  readonly name: string
  /** JSON, with matchers in it. */
  readonly json?: Template<unknown>
  /** A text, or a matcher for one. */
  readonly text?: string | Matcher<string>
  /** The path of a file, read now. Compared by its type. */
  readonly file?: string | URL
  /** Bytes. Compared by their type. */
  readonly bytes?: Uint8Array | ArrayBuffer
  /** `application/json` for JSON; told from the content for files and bytes; none for a text. */
  readonly contentType?: string
  /** The name of a file. Default: that of `file`. */
  readonly filename?: string
}

/** A request as one object. */
export interface RequestDefinition {
  /** Default: GET. */
  readonly method?: string
  /** Default: `/`. */
  readonly path?: string | Matcher<string>
  readonly query?: NamedValues
  readonly headers?: NamedValues
  /** As with `withBody`; bytes and XML elements as well. */
  readonly body?: unknown
  /** The type of the body. */
  readonly contentType?: string
}

/** A response as one object. */
export interface ResponseDefinition {
  /** Default: 200. */
  readonly status?: number | Matcher<number>
  readonly headers?: NamedValues
  /** As with `withBody`; bytes and XML elements as well. */
  readonly body?: unknown
  /** The type of the body. */
  readonly contentType?: string
}

/** A request and its response. */
export class HttpInteraction extends Interaction {
  readonly #serve: Serve

  /** @internal */
  constructor(native: NativeInteraction, serve: Serve) {
    super(native)
    this.#serve = serve
  }

  /** @internal */
  static nativeOf(interaction: HttpInteraction): NativeInteraction {
    return interaction.native
  }

  /** The request that the consumer makes. The path is a text or a matcher, without query. */
  withRequest(method: string, path: string | Matcher<string>): this
  /** The request as one object. */
  withRequest(request: RequestDefinition): this
  withRequest(first: string | RequestDefinition, path?: string | Matcher<string>): this {
    if (typeof first === 'string') {
      if (path === undefined) refuseCall('withRequest', 'give a path as well: withRequest(method, path)')
      check(this.native.withRequest(first, toJsonText(path, 'withRequest')))
      return this
    }
    const { method, path: chosen, query, headers, body, contentType, ...unknown } = definition('withRequest', first)
    refuseUnknown('withRequest', unknown, 'a request has method, path, query, headers, body and contentType')
    check(this.native.withRequest(method ?? null, chosen === undefined ? null : toJsonText(chosen, 'withRequest')))
    if (query !== undefined) this.withQueryParameters(query)
    return this.#part('request', headers, body, contentType)
  }

  /** Begins the response; from here on, calls without a part are about it. */
  willRespondWith(status: number | Matcher<number>): this
  /** The response as one object. */
  willRespondWith(response: ResponseDefinition): this
  willRespondWith(first: number | Matcher<number> | ResponseDefinition): this {
    if (typeof first !== 'object' || first === null || isMatcher(first)) {
      check(this.native.willRespondWith(first === undefined ? null : toJsonText(first, 'willRespondWith')))
      return this
    }
    const { status, headers, body, contentType, ...unknown } = first
    refuseUnknown('willRespondWith', unknown, 'a response has status, headers, body and contentType')
    check(
      status === undefined ? this.native.beginResponse() : this.native.willRespondWith(toJsonText(status, 'status')),
    )
    return this.#part('response', headers, body, contentType)
  }

  #part(part: Part, headers: NamedValues | undefined, body: unknown, contentType: string | undefined): this {
    if (headers !== undefined) this.withHeaders(headers, part)
    const options = contentType === undefined ? { part } : { part, contentType }
    if (isBytes(body)) return this.withBinaryBody(body, options)
    return body === undefined ? this : this.withBody(body, options)
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
    return this.document('graphql', requestText(request), options, part)
  }

  /**
   * Adds a file to a multipart body (`multipart/form-data`), or begins one; without a path the part is empty. Any file of
   * the same type will do.
   */
  withMultipartFile(
    name: string,
    path: string | URL | null,
    options: MultipartFileOptions | string = {},
    part?: Part,
    boundary?: string,
  ): this {
    const given: MultipartFileOptions = typeof options === 'string' ? { contentType: options } : options
    const value = { ...partFields(name, given.contentType, given.filename), boundary: given.boundary ?? boundary }
    const file = path === null ? undefined : pathOf(path)
    check(this.native.withMultipart(present({ ...value, file }), part ?? given.part ?? null))
    return this
  }

  /** Adds parts to a multipart body (`multipart/form-data`), or begins one. */
  withMultipart(
    parts: readonly MultipartPart[],
    { part, boundary }: { readonly part?: Part; readonly boundary?: string } = {},
  ): this {
    for (const { name, json, text, file, bytes, contentType, filename, ...unknown } of parts) {
      const call = `withMultipart ${JSON.stringify(name)}`
      refuseUnknown(call, unknown, 'a part has name, one of json, text, file and bytes, contentType and filename')
      const contents = [json, text, file, bytes].filter((content) => content !== undefined)
      if (contents.length > 1) refuseCall(call, 'a part has only one of json, text, file and bytes')
      const value = present({
        ...partFields(name, contentType, filename),
        boundary,
        json: json === undefined ? undefined : toJsonText(json, call),
        text: text === undefined ? undefined : toJsonText(text, call),
        file: file === undefined ? undefined : pathOf(file),
        bytes: bytes === undefined ? undefined : bytesOf(call, bytes),
      })
      check(this.native.withMultipart(value, part ?? null))
    }
    return this
  }

  /**
   * A cookie: of the request one of those in `Cookie`, wherever it stands among them; of the response one `Set-Cookie` with
   * any attributes. The value is a text or `match.regex`; with any other matcher every value will do.
   */
  withCookie(name: string, value: string | Matcher<string>, part?: Part): this {
    check(this.native.withCookie(name, toJsonText(value, 'withCookie'), part ?? null))
    return this
  }

  /** `Authorization: Bearer …` with any token like the example. */
  withBearerToken(example: string): this {
    return this.withHeader('Authorization', make<string>('withBearerToken', { example }), 'request')
  }

  /** A header. Repeated calls add values; a text that is JSON with `value` is matcher JSON. */
  withHeader(name: string, value: NamedValue, part?: Part): this {
    check(this.native.withHeader(name, toJsonText(value, 'withHeader'), part ?? null))
    return this
  }

  /** Headers, each as with `withHeader`. */
  withHeaders(headers: NamedValues, part?: Part): this {
    for (const [name, value] of pairs(headers)) this.withHeader(name, value, part)
    return this
  }

  /** A header with a text that is not processed; replaces earlier values. */
  setHeader(name: string, value: string, part?: Part): this {
    check(this.native.setHeader(name, value, part ?? null))
    return this
  }

  /** Headers, each as with `setHeader`. */
  setHeaders(headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>, part?: Part): this {
    for (const [name, value] of pairs(headers)) this.setHeader(name, value, part)
    return this
  }

  /** A query parameter. Repeated calls add values; `null` is a name without value. */
  withQueryParameter(name: string, value: NamedValue | null): this {
    check(this.native.withQueryParameter(name, toJsonText(value, 'withQueryParameter')))
    return this
  }

  /** Query parameters, each as with `withQueryParameter`. */
  withQueryParameters(parameters: NamedValues): this {
    for (const [name, value] of pairs(parameters)) this.withQueryParameter(name, value)
    return this
  }

  /**
   * How often the test requests it: a number, or bounds. Without: once or more. Only the mock server looks at this, the
   * contract file does not hold it.
   */
  times(times: number | Times): this {
    check(this.native.times(toJsonText(times, 'times')))
    return this
  }

  /** Lets the test leave it unrequested; then it does not reach the contract file. */
  optional(optional = true): this {
    check(this.native.optional(optional))
    return this
  }

  /** Serves this interaction alone, whether or not it was served before: short for `contract.serve({ only: [this] }, test)`. */
  executeTest<T>(test: ServeCallback<T>): Promise<T>
  executeTest<T>(options: Omit<ServeOptions, 'only' | 'all'>, test: ServeCallback<T>): Promise<T>
  async executeTest<T>(first: ServeCallback<T> | ServeOptions, second?: ServeCallback<T>): Promise<T> {
    const test = typeof first === 'function' ? first : second
    if (test === undefined) throw new TypeError('executeTest: expected a function')
    const options = typeof first === 'function' ? {} : first
    return this.#serve({ ...options, only: [this] }, test)
  }
}

/** Bounds on how often a test requests an interaction. */
export interface Times {
  /** Default: 1. */
  readonly min?: number
  /** Default: no bound. */
  readonly max?: number
}

type Serve = <T>(options: ServeOptions, test: ServeCallback<T>) => Promise<T>

// The types say that it does not exist; callers without types get the reason instead of "is not a function".
Object.defineProperties(HttpInteraction.prototype, {
  withMetadata: {
    value(this: { native: NativeInteraction }): void {
      check(this.native.withMetadata('', null, null))
    },
  },
})

function partFields(name: string, contentType: string | undefined, filename: string | undefined) {
  return { name, contentType, filename }
}
