import { refuse } from './checked.js'
import type { JsonObject } from './json.js'
import { type Template, toJsonText } from './template.js'

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

/** The request in the form in which it crosses to the core. */
export function requestText({ query, variables, operationName, extensions, ...unknown }: GraphQLRequest): string {
  const [name] = Object.keys(unknown)
  if (name !== undefined) {
    refuse('withGraphQL', `there is no option ${name}; options are query, variables, operationName and extensions`)
  }
  const request: Record<string, unknown> = { query: textOf('withGraphQL', query) }
  if (variables !== undefined) request.variables = variables
  if (operationName !== undefined) request.operationName = operationName
  if (extensions !== undefined) request.extensions = extensions
  return toJsonText(request, 'withGraphQL')
}

/** The text of a query. */
export function textOf(call: string, query: GraphQLQuery): string {
  const text = typeof query === 'string' ? query : query?.loc?.source?.body
  if (typeof text !== 'string') {
    refuse(call, 'the query must be a text, or a parsed document that still has its text; print(document) gives one')
  }
  return text
}
