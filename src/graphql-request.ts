import { readable } from './arguments.js'
import type { JsonObject } from './json.js'
import { withoutUndefined } from './matcher-calls.js'
import { type Template, tagOf } from './template.js'

/** A parsed GraphQL document with its source text, as `graphql-tag` and `graphql-js` create it. */
export interface ParsedDocument {
  readonly kind: string
  readonly loc?: { readonly source: { readonly body: string } } | undefined
}

/** A GraphQL query: a string or a parsed document. */
export type GraphQLQuery = string | ParsedDocument

/** A GraphQL request. */
export interface GraphQLRequest {
  /** The query. Comparisons ignore whitespace, line breaks, commas, and comments. */
  readonly query: GraphQLQuery
  /** Values of the query's variables, which can contain matchers. */
  readonly variables?: Template<JsonObject>
  /** The name of the operation to run. If it is `null`, the request contains JSON null. */
  readonly operationName?: string | null
  /** Values for protocol extensions that the server supports, such as `persistedQuery`. */
  readonly extensions?: Template<JsonObject>
}

/** Converts the request to data for the core. */
export function requestData(request: GraphQLRequest): Record<string, unknown> {
  return readable('withGraphQL', () => withoutUndefined({ ...request, query: textOf(request?.query) }))
}

/** Returns the text of a query: the string itself, or the source text of a parsed document. */
export function textOf(query: GraphQLQuery): unknown {
  return tagOf(query) === 'Object' ? ((query as ParsedDocument).loc?.source?.body ?? query) : query
}
