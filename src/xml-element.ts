import { type Matcher, toJsonText } from './template.js'

const ELEMENT = Symbol.for('contract.xml.element')

/** The value of an attribute or a text: exact, or a matcher. */
export type XmlValue = string | number | boolean | Matcher<string> | Matcher<number> | Matcher<boolean>

/** Attributes by name; `xmlns` and `xmlns:…` declare namespaces. */
export type XmlAttributes = Readonly<Record<string, XmlValue>>

/** What stands in an element: elements and texts. */
export type XmlChild = XmlElement | XmlValue

/** How often an element stands side by side. */
export interface XmlSizes {
  /** Fewest. Default: 1. */
  readonly min?: number
  /** Most. Default: any number. */
  readonly max?: number
  /** How often it stands in the example. Default: `min`. */
  readonly examples?: number
}

/** An element of an XML body. Made by `xml.element`. */
export class XmlElement {
  /** @internal Common to every copy of this package. */
  readonly [ELEMENT] = true
  readonly #name: string
  readonly #attributes: XmlAttributes
  readonly #children: readonly XmlChild[]
  readonly #sizes: XmlSizes | undefined

  /** @internal */
  constructor(name: string, attributes: XmlAttributes, children: readonly XmlChild[], sizes?: XmlSizes) {
    this.#name = name
    this.#attributes = attributes
    this.#children = children
    this.#sizes = sizes
  }

  /** The same element any number of times, each like this one. */
  each(sizes: XmlSizes = {}): XmlElement {
    return new XmlElement(this.#name, this.#attributes, this.#children, sizes)
  }

  /** @internal */
  toDescription(): object {
    return {
      name: this.#name,
      attributes: this.#attributes,
      children: this.#children.map((child) => (isXmlElement(child) ? child.toDescription() : { text: child })),
      ...(this.#sizes === undefined ? {} : { each: { ...this.#sizes } }),
    }
  }
}

/** Whether it is one, be it of another copy of this package. */
export function isXmlElement(value: unknown): value is XmlElement {
  return typeof value === 'object' && value !== null && ELEMENT in value
}

/** The document in the form in which it crosses to the core. */
export function xmlText(root: XmlElement): string {
  return toJsonText(root.toDescription(), 'withXmlBody')
}
