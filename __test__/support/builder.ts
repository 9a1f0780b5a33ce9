import type { Contract } from 'contract'
import { camel } from './functions.ts'

/** The method name of an operation. */
export const spelledCall = (name: string) => (name === 'with_graphql' ? 'withGraphQL' : camel(name))

/** Makes a call with positional arguments and options. */
export function perform(
  contract: Contract,
  current: object | undefined,
  name: string,
  args: Readonly<Record<string, unknown>>,
): object | undefined {
  const ofContract = ['with_specification', 'defaults', 'upon_receiving', 'interaction']
  const isOfContract = current === undefined || ofContract.includes(name)
  const on = (isOfContract ? contract : current) as Record<string, (...args: unknown[]) => object>
  const { [spelledCall(name)]: method } = on
  const given = Object.fromEntries(Object.entries(args).map(([key, value]) => [camel(key), value]))
  const isHttp = current?.constructor.name === 'HttpInteraction'
  const made = method?.apply(on, parenthesised(name, given, isOfContract, isHttp))
  return name === 'upon_receiving' || name === 'interaction' ? made : undefined
}

const inParentheses: Readonly<Record<string, readonly string[]>> = {
  given: ['state'],
  with_header: ['name', 'value', 'part'],
  with_headers: ['headers', 'part'],
  set_header: ['name', 'value', 'part'],
  set_headers: ['headers', 'part'],
  with_query_parameter: ['name', 'value'],
  with_query_parameters: ['parameters'],
  with_cookie: ['name', 'value', 'part'],
  with_bearer_token: ['example'],
  with_body: ['body'],
  with_json_body: ['body'],
  with_text_body: ['body'],
  with_xml_body: ['root'],
  with_form_body: ['fields'],
  with_binary_body: ['body'],
  with_multipart: ['parts'],
  with_multipart_file: ['name', 'path'],
  with_matching_rules: ['rules'],
  with_generators: ['generators'],
  with_metadata: ['metadata'],
  set_comment: ['key', 'value'],
  add_text_comment: ['text'],
  add_reference: ['group', 'name', 'value'],
  set_key: ['key'],
  set_pending: ['pending'],
  test_name: ['name'],
  times: ['times'],
  optional: ['optional'],
  with_specification: ['version'],
  upon_receiving: ['description', 'kind'],
}

function parenthesised(
  name: string,
  given: Record<string, unknown>,
  isOfContract: boolean,
  isHttp: boolean,
): unknown[] {
  if (name === 'with_metadata' && isOfContract) return [given.namespace, given.entries]
  if (name === 'will_respond_with') return isHttp ? [given] : []
  const names = inParentheses[name]
  if (names === undefined) return [given]
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !names.includes(key)))
  const bytes =
    name === 'with_binary_body' ? Buffer.from((given.body as { base64: string }).base64, 'base64') : undefined
  const values = names.map((key) => (key === 'body' && bytes !== undefined ? bytes : given[key]))
  return Object.keys(rest).length === 0 ? values : [...values, rest]
}
