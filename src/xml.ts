import { refuse } from './checked.js'
import { isMatcher } from './template.js'
import { isXmlElement, type XmlAttributes, type XmlChild, XmlElement } from './xml-element.js'

/**
 * An element: its name, attributes if it has any, and what stands in it. Matchers stand for the value of an attribute or
 * the whole text of an element.
 *
 * @example
 * xml.element('order', { id: match.int(7) },
 *   xml.element('item', {}, match.str('tea')).each({ min: 2 }))
 */
export function element(name: string, attributes: XmlAttributes, ...children: XmlChild[]): XmlElement
export function element(name: string, ...children: XmlChild[]): XmlElement
export function element(name: string, first?: XmlAttributes | XmlChild, ...rest: XmlChild[]): XmlElement {
  if (typeof name !== 'string') refuse('xml.element', `the name must be a text, got ${typeof name}`)
  if (first === undefined) return new XmlElement(name, {}, rest)
  return isAttributes(first) ? new XmlElement(name, first, rest) : new XmlElement(name, {}, [first, ...rest])
}

function isAttributes(value: XmlAttributes | XmlChild): value is XmlAttributes {
  return typeof value === 'object' && value !== null && !isMatcher(value) && !isXmlElement(value)
}

/** A body with this root, for `withBody`: the root itself. */
export function body(root: XmlElement): XmlElement {
  if (!isXmlElement(root)) refuse('xml.body', 'give the root element, made by xml.element')
  return root
}

export type { XmlAttributes, XmlChild, XmlSizes, XmlValue } from './xml-element.js'
export type { XmlElement }
