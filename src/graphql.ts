import { type GraphQLQuery, textOf } from './graphql-request.js'
import { make } from './made.js'
import type { Matcher } from './template.js'

/** A text that is the same GraphQL document, wherever it may stand. */
export function document(query: GraphQLQuery): Matcher<string> {
  return make('graphql.document', { query: textOf(query) })
}

export type { GraphQLQuery, GraphQLRequest, ParsedDocument } from './graphql-request.js'
