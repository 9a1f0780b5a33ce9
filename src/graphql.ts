/**
 * Matchers for GraphQL documents.
 *
 * @packageDocumentation
 */

import { type GraphQLQuery, textOf } from './graphql-request.js'
import { make } from './matcher-calls.js'
import type { Matcher } from './template.js'

/** Matches a string that contains an equivalent GraphQL document. Ignores whitespace, commas, and comments. */
export function document(query: GraphQLQuery): Matcher<string> {
  return make('graphql.document', { query: textOf(query) })
}

export type { GraphQLQuery, GraphQLRequest, ParsedDocument } from './graphql-request.js'
