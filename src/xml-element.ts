import { argumentsText } from './matcher-calls.js'
import { native } from './native/load.js'
import { unwrapArgument } from './native/result.js'
import { has, JsonText, type Matcher, tagOf } from './template.js'

const ELEMENT = Symbol.for('contract.xml.element.json')

/** The value of an attribute or the text of an element: an exact value, or a matcher. */
export type XmlValue = string | number | boolean | Matcher<string> | Matcher<number> | Matcher<boolean>

/** Attributes by name. `xmlns` and `xmlns:…` declare namespaces. */
export type XmlAttributes = Readonly<Record<string, XmlValue>>

/** A child of an element: an element or text. */
export type XmlChild = XmlElement | XmlValue

/** Number of repetitions of an element. */
export interface XmlSizes {
  /** Minimum number of elements. Default: 1. */
  readonly min?: number | undefined
  /** Maximum number of elements. Default: unlimited. */
  readonly max?: number | undefined
  /** Number of elements in the example. Default: `min`. */
  readonly examples?: number | undefined
  /** Maximum size of the repeated elements in the example, in bytes. Default: 4 MiB. */
  readonly exampleLimit?: number | undefined
}

/** An element of an XML body. Created by `xml.element`. */
export class XmlElement {
  /** @internal The element as JSON text. All copies of this package use the same symbol. */
  readonly [ELEMENT]: string

  /** @internal */
  constructor(text: string) {
    this[ELEMENT] = text
  }

  /**
   * Allows the element to be repeated. Each repetition must match this element by type. By default, at least one is
   * required.
   */
  each(sizes?: XmlSizes): XmlElement {
    return createElement('xml.element.each', { element: new JsonText(this[ELEMENT]) }, sizes)
  }
}

/** Creates an element in the core, which validates the arguments. */
export function createElement(call: string, args: Readonly<Record<string, unknown>>, options?: unknown): XmlElement {
  return new XmlElement(unwrapArgument(native.matcher(call, argumentsText(call, args, options))))
}

/** Returns whether the value is an element, even if another copy of this package created it. */
export function isXmlElement(value: unknown): value is XmlElement {
  return has(value, ELEMENT)
}

/** Converts a child of an element to data for the core. */
export function childData(child: XmlChild): unknown {
  return isXmlElement(child) ? new JsonText(child[ELEMENT]) : { text: child }
}

/** Returns whether the value is an object with attributes, as opposed to a child. */
export function isAttributes(value: unknown): value is XmlAttributes {
  return tagOf(value) === 'Object' && !isXmlElement(value)
}

/** Returns an element as JSON text for the core. */
export function xmlText(root: XmlElement): string {
  return root[ELEMENT]
}
