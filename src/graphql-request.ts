import { readable } from './arguments.js'
import type { JsonObject } from './json.js'
import { present } from './made.js'
import { type Template, tagOf } from './template.js'

/** A parsed document that knows its text, as `graphql-tag` and `graphql-js` make them. */
export interface ParsedDocument {
  readonly kind: string
  readonly loc?: { readonly source: { readonly body: string } } | undefined
}

/** A query: its text, or a parsed document. */
export type GraphQLQuery = string | ParsedDocument

/** A GraphQL request. */
export interface GraphQLRequest {
  /** The query; compared as a document: blanks, line ends, commas and comments do not count. */
  readonly query: GraphQLQuery
  /** Values or matchers for the variables of the query. */
  readonly variables?: Template<JsonObject>
  /** Which operation of the query is meant; `null` for the only one, said explicitly. */
  readonly operationName?: string | null
  /** What the server understands beyond the specification. */
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
