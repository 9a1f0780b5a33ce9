import { TYPE } from './checked.js'
import { type GraphQLQuery, textOf } from './graphql-request.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { type Matcher, matcher } from './template.js'

/** A text that is the same GraphQL document, wherever it may stand. */
export function document(query: GraphQLQuery): Matcher<string> {
  const text = textOf('graphql.document', query)
  return matcher({ [TYPE]: 'regex', regex: unwrap(native.graphqlPattern(text)), value: text })
}

export type { GraphQLQuery, GraphQLRequest, ParsedDocument } from './graphql-request.js'
