import { readable } from './arguments.js'
import type { JsonObject } from './json.js'
import { withoutUndefined } from './matcher-calls.js'
import { type Template, tagOf } from './template.js'

/** A parsed document that contains its source text, as created by `graphql-tag` and `graphql-js`. */
export interface ParsedDocument {
  readonly kind: string
  readonly loc?: { readonly source: { readonly body: string } } | undefined
}

/** A GraphQL query: a string or a parsed document. */
export type GraphQLQuery = string | ParsedDocument

/** A GraphQL request. */
export interface GraphQLRequest {
  /** The query. Whitespace, line breaks, commas, and comments are ignored in comparisons. */
  readonly query: GraphQLQuery
  /** Values or matchers for the variables of the query. */
  readonly variables?: Template<JsonObject>
  /** The name of the operation to run. `null` is sent as JSON null. */
  readonly operationName?: string | null
  /** Extensions to the GraphQL specification that the server supports. */
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
