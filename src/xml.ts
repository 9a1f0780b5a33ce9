/**
 * Elements of XML bodies.
 *
 * @packageDocumentation
 */

import { isMatcher, JsonText } from './template.js'
import {
  childData,
  createElement,
  isAttributes,
  isXmlElement,
  type XmlAttributes,
  type XmlChild,
  type XmlElement,
  xmlText,
} from './xml-element.js'

/**
 * Creates an XML element from its name, optional attributes, and children. You can use a matcher as the value of an attribute
 * or as the whole text of an element.
 *
 * @example
 * xml.element('order', { id: match.int(7) },
 *   xml.element('item', {}, match.str('tea')).each({ min: 2 }))
 */
export function element(name: string, attributes: XmlAttributes, ...children: XmlChild[]): XmlElement
export function element(name: string, ...children: XmlChild[]): XmlElement
export function element(name: string, first?: XmlAttributes | XmlChild, ...rest: XmlChild[]): XmlElement {
  const hasAttributes = first === undefined || (isAttributes(first) && !isMatcher(first))
  const children = (hasAttributes ? rest : [first, ...rest]).map(childData)
  const attributes = hasAttributes ? first : undefined
  return createElement('xml.element', { name, attributes, children: children.length === 0 ? undefined : children })
}

/** Marks an element as the root element of a body for `withBody`, and returns the element. */
export function body(root: XmlElement): XmlElement {
  return createElement('xml.body', { root: isXmlElement(root) ? new JsonText(xmlText(root)) : root })
}

export type { XmlAttributes, XmlChild, XmlSizes, XmlValue } from './xml-element.js'
export type { XmlElement }
