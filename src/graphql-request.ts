import { readable } from './arguments.js'
import type { JsonObject } from './json.js'
import { present } from './made.js'
import { type Template, tagOf } from './template.js'

/** A parsed document that contains its source text, as created by `graphql-tag` and `graphql-js`. */
export interface ParsedDocument {
  readonly kind: string
  readonly loc?: { readonly source: { readonly body: string } } | undefined
}

/** A query: a string or a parsed document. */
export type GraphQLQuery = string | ParsedDocument

/** A GraphQL request. */
export interface GraphQLRequest {
  /** The query. It is compared as a document: white space, line breaks, commas and comments are ignored. */
  readonly query: GraphQLQuery
  /** Values or matchers for the variables of the query. */
  readonly variables?: Template<JsonObject>
  /** The operation to run; `null` is sent as null. */
  readonly operationName?: string | null
  /** Extensions to the GraphQL specification that the server supports. */
  readonly extensions?: Template<JsonObject>
}

/** The request as data. */
export function requestData(request: GraphQLRequest): Record<string, unknown> {
  return readable('withGraphQL', () => present({ ...request, query: textOf(request?.query) }))
}

/** The text of a query: of a parsed document, that which it was parsed from. */
export function textOf(query: GraphQLQuery): unknown {
  return tagOf(query) === 'Object' ? ((query as ParsedDocument).loc?.source?.body ?? query) : query
}
