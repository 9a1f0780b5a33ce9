import { rejectCall } from './arguments.js'
import type { Finding } from './generated/requests.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { type Template, toJsonText } from './template.js'

/** A difference between a value and a template. */
export type TemplateMismatch = Pick<Finding, 'place' | 'mismatch' | 'explanation'>

/** Compares a value with a template and returns the mismatches. `JSON.stringify` converts the value first. */
export function compareWithTemplate(template: Template<unknown>, value: unknown): readonly TemplateMismatch[] {
  const expected = toJsonText(template, 'toMatchTemplate')
  const received = textOf(value)
  if (received === undefined) return [{ place: '$', mismatch: `Expected a JSON value but received ${typeof value}` }]
  return JSON.parse(unwrap(native.compareWithTemplate(expected, received))) as TemplateMismatch[]
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return rejectCall('toMatchTemplate', `the received value cannot be converted to JSON: ${(error as Error).message}`)
  }
}
