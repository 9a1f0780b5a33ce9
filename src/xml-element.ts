import { argumentsText } from './made.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { has, JsonText, type Matcher, tagOf } from './template.js'

const ELEMENT = Symbol.for('contract.xml.element.json')

/** The value of an attribute or text: an exact value or a matcher. */
export type XmlValue = string | number | boolean | Matcher<string> | Matcher<number> | Matcher<boolean>

/** Attributes by name; `xmlns` and `xmlns:…` declare namespaces. */
export type XmlAttributes = Readonly<Record<string, XmlValue>>

/** A child of an element: an element or text. */
export type XmlChild = XmlElement | XmlValue

/** How often an element is repeated. */
export interface XmlSizes {
  /** Minimum. Default: 1. */
  readonly min?: number | undefined
  /** Maximum. Default: unlimited. */
  readonly max?: number | undefined
  /** Number of elements in the example. Default: `min`. */
  readonly examples?: number | undefined
  /** Maximum size of the repeated example, in bytes. Default: 4 MiB. */
  readonly exampleLimit?: number | undefined
}

/** An element of an XML body. Created by `xml.element`. */
export class XmlElement {
  /** @internal Common to every copy of this package: the description, as the core has written it. */
  readonly [ELEMENT]: string

  /** @internal */
  constructor(text: string) {
    this[ELEMENT] = text
  }

  /** Repeats the element; each repetition must be like this one. */
  each(sizes?: XmlSizes): XmlElement {
    return made('xml.element.each', { element: new JsonText(this[ELEMENT]) }, sizes)
  }
}

/** The element that the core makes of this call. */
export function made(call: string, args: Readonly<Record<string, unknown>>, options?: unknown): XmlElement {
  return new XmlElement(unwrap(native.matcher(call, argumentsText(call, args, options))))
}

/** Whether it is one, be it of another copy of this package. */
export function isXmlElement(value: unknown): value is XmlElement {
  return has(value, ELEMENT)
}

/** What stands in an element, as data. */
export function childData(child: XmlChild): unknown {
  return isXmlElement(child) ? new JsonText(child[ELEMENT]) : { text: child }
}

/** Whether the value stands where attributes may: an object that is no child. */
export function isAttributes(value: unknown): value is XmlAttributes {
  return tagOf(value) === 'Object' && !isXmlElement(value)
}

/** The document in the form in which it crosses to the core. */
export function xmlText(root: XmlElement): string {
  return root[ELEMENT]
}
