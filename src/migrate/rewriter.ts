// Collects changes to a source file. The rest of the file stays byte-for-byte the same.
import { functionAround, type Member, type Syntax, statementAround } from './syntax.js'

/** The beginning of each comment that asks the user to convert code manually. */
export const TODO = '// TODO(contract): '

/** A location in the source file that was converted, for the summary. */
export interface Place {
  readonly line: number
  readonly text: string
}

export class Rewriter {
  readonly source: string
  readonly root: Syntax
  /** The line break that the file uses. */
  readonly newline: string
  /** `;` if statements in the file end with semicolons, otherwise empty. */
  readonly semicolon: string
  /** True if string literals in the file use double quotes. */
  readonly #doubleQuotes: boolean
  readonly converted: Place[] = []
  readonly remaining: Place[] = []
  readonly #replacements = new Map<Syntax, () => string>()
  readonly #removed = new Set<Syntax>()
  readonly #before = new Map<Syntax, (() => string)[]>()
  readonly #after = new Map<Syntax, (() => string)[]>()

  constructor(source: string, root: Syntax) {
    this.source = source
    this.root = root
    this.newline = source.includes('\r\n') ? '\r\n' : '\n'
    const statements = [...root.walk()].filter(({ kind }) => /^(expression|import|return)_statement$/.test(kind))
    this.semicolon = statements.filter(({ text }) => text.endsWith(';')).length * 2 > statements.length ? ';' : ''
    this.#doubleQuotes = source.split('"').length > source.split("'").length
  }

  /** Replaces a node. A function as `text` is called last and can call `render` for parts of the node to keep. */
  replace(node: Syntax, text: string | (() => string)): void {
    this.#replacements.set(node, typeof text === 'string' ? () => text : text)
  }

  isReplaced(node: Syntax): boolean {
    return this.#replacements.has(node) || this.#removed.has(node)
  }

  /** Removes a statement, and its line if that is then empty. */
  remove(statement: Syntax): void {
    this.#removed.add(statement)
  }

  /** Inserts lines before a statement. */
  before(statement: Syntax, text: string | (() => string)): void {
    const list = this.#before.get(statement) ?? []
    this.#before.set(statement, [...list, typeof text === 'string' ? () => text : text])
  }

  /** Inserts lines after a statement. */
  after(statement: Syntax, text: string | (() => string)): void {
    const list = this.#after.get(statement) ?? []
    this.#after.set(statement, [...list, typeof text === 'string' ? () => text : text])
  }

  /** Records that a call was converted, for the summary. */
  count(node: Syntax, conversion: string): void {
    this.converted.push({ line: this.lineOf(node), text: conversion })
  }

  /** Adds a comment with instructions above the statement that contains the node. The node is not changed. */
  todo(node: Syntax, text: string): void {
    const line = this.lineOf(node)
    if (this.remaining.some((place) => place.line === line && place.text === text)) return
    this.remaining.push({ line, text })
    const statement = anchorOf(node)
    const comment = `${TODO}${text}`
    if (!this.#linesAbove(statement).includes(comment)) this.before(statement, comment)
  }

  /** Returns the comment lines directly above a statement. */
  #linesAbove(statement: Syntax): string[] {
    const lines = this.source.slice(0, statement.start).split('\n').slice(0, -1).reverse()
    const end = lines.findIndex((line) => !line.trim().startsWith('//'))
    return lines.slice(0, end === -1 ? undefined : end).map((line) => line.trim())
  }

  lineOf(node: Syntax): number {
    let line = 1
    for (let i = this.source.indexOf('\n'); i !== -1 && i < node.start; i = this.source.indexOf('\n', i + 1)) line += 1
    return line
  }

  /** Returns the indentation of the line that contains a node. */
  indentOf(node: Syntax): string {
    const start = this.source.lastIndexOf('\n', node.start - 1) + 1
    return /^[ \t]*/.exec(this.source.slice(start))?.[0] ?? ''
  }

  /** The text that indents one level in this file, such as two spaces. */
  get indentUnit(): string {
    if (/\n\t/.test(this.source)) return '\t'
    const widths = [...this.source.matchAll(/\n( +)(?=[^\s*])/g)].map(([, spaces]) => spaces?.length ?? 2)
    return ' '.repeat(Math.max(2, Math.min(4, ...widths)))
  }

  /** Returns a string literal with the quotes that the file uses. */
  string(value: string): string {
    const quoted = JSON.stringify(value)
    if (this.#doubleQuotes) return quoted
    return `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  }

  /** Returns the text of a node, including all changes inside it. */
  render(node: Syntax): string {
    if (this.#removed.has(node)) return ''
    const own = this.#replacements.get(node)?.() ?? this.renderChildren(node)
    return this.#blocks.get(node)?.(own) ?? own
  }

  renderChildren(node: Syntax): string {
    if (node.children.length === 0) return node.text
    let out = ''
    let at = node.start
    let isRemoved = false
    const copyTo = (end: number) => {
      const gap = this.source.slice(at, end)
      // Also removes the rest of the line, and the blank line after the statement if another one precedes it.
      out += isRemoved
        ? gap.replace(/^[ \t]*\r?\n/, '').replace(/^(?:[ \t]*\r?\n)+/, /(^|\n)\r?\n$/.test(out) ? '' : '$&')
        : gap
      isRemoved = false
    }
    for (const child of node.children) {
      copyTo(child.start)
      at = child.end
      // The block must start on the same line as the arrow.
      if (this.#blocks.has(child) || this.#inline.has(child)) out = out.replace(/\s+$/, ' ')
      const text = this.#textsOf(child).join(`${this.newline}${this.indentOf(child)}`)
      isRemoved = text === '' && this.#removed.has(child)
      out = isRemoved ? out.replace(/[ \t]*$/, '') : out + text
    }
    copyTo(node.end)
    return out
  }

  #textsOf(child: Syntax): string[] {
    const own = this.#removed.has(child) ? [] : [this.render(child)]
    const called = (texts: Map<Syntax, (() => string)[]>) => (texts.get(child) ?? []).map((text) => text())
    return [...called(this.#before), ...own, ...called(this.#after)]
  }

  /**
   * Returns an object literal whose members are the results of `change`, followed by `added`. If `change` returns
   * `undefined`, the member is removed.
   */
  object(object: Syntax, change: (node: Syntax) => string | undefined, added: readonly string[] = []): string {
    const items = object.parts
    const [first, last] = [items[0], items.at(-1)]
    const texts: { lead: string; text: string }[] = []
    let at = object.start + 1
    for (const item of items) {
      const text = change(item)
      if (text !== undefined) texts.push({ lead: this.source.slice(at, item.start), text })
      at = this.#afterComma(item, object)
    }
    const lead = first === undefined ? ' ' : (/\s*$/.exec(this.source.slice(object.start + 1, first.start))?.[0] ?? '')
    texts.push(...added.map((text) => ({ lead: texts.length === 0 ? lead : lead || ' ', text })))
    if (texts.length === 0) return '{}'
    const tail = this.source.slice(at, object.end - 1)
    const trailing = last !== undefined && this.source.slice(last.end, at).includes(',') ? ',' : ''
    return `{${texts.map((item) => item.lead + item.text).join(',')}${trailing}${tail || (lead.includes('\n') ? this.newline : lead)}}`
  }

  #afterComma(item: Syntax, list: Syntax): number {
    const comma = list.children.find((child) => child.kind === ',' && child.start >= item.end)
    const next = list.parts.find((part) => part.start >= item.end)
    return comma !== undefined && (next === undefined || comma.start < next.start) ? comma.end : item.end
  }

  /** Returns a member with a new name as text, or its original text if the name does not change. */
  member(member: Member, name = member.name, value?: string): string {
    if (name === member.name && value === undefined) return this.render(member.node)
    if (member.form === 'shorthand') return value === name ? name : `${name}: ${value ?? this.render(member.value)}`
    if (member.form === 'pair') {
      const between = this.source.slice(member.key?.end ?? member.value.start, member.value.start)
      return `${name}${between}${value ?? this.render(member.value)}`
    }
    const text = value ?? this.render(member.node)
    return name === member.name || member.key === undefined
      ? text
      : text.slice(0, member.key.start - member.node.start) + name + text.slice(member.key.end - member.node.start)
  }

  /** Returns an object literal with these members on one line. */
  inline(members: readonly string[]): string {
    return `{ ${members.join(', ')} }`
  }

  /**
   * Inserts a statement before the statement that contains `node`. If `node` is the expression of an arrow function,
   * the function gets a block. Returns false if a statement cannot be inserted.
   */
  precede(node: Syntax, text: () => string): boolean {
    const statement = statementAround(node)
    if (statement !== undefined) {
      this.before(statement, () => `${text()}${this.semicolon}`)
      return true
    }
    const arrow = functionAround(node)
    const body = arrow?.kind === 'arrow_function' ? arrow.parts.at(-1) : undefined
    if (arrow === undefined || body === undefined || body.kind === 'statement_block') return false
    const indent = this.indentOf(arrow)
    const inner = `${this.newline}${indent}${this.indentUnit}`
    this.#blocks.set(
      body,
      (own) => `{${inner}${text()}${this.semicolon}${inner}return ${own}${this.semicolon}${this.newline}${indent}}`,
    )
    return true
  }

  readonly #inline = new Set<Syntax>()

  /** Replaces an arrow function's expression by a block. */
  replaceBody(body: Syntax, block: () => string): void {
    this.#inline.add(body)
    this.replace(body, block)
  }

  /**
   * Returns the text of a node. Its indentation is changed from that of the line of `from` to that of the line of `to`.
   */
  shifted(node: Syntax, from: Syntax, to: Syntax): string {
    return this.shiftedText(node, this.render(node), from, to)
  }

  /** Like `shifted`, for text that replaces the node. */
  shiftedText(node: Syntax, text: string, from: Syntax, to: Syntax): string {
    const [before, after] = [this.indentOf(from), this.indentOf(to)]
    const hasTemplate = [...node.walk()].some((each) => each.kind === 'template_string' && each.text.includes('\n'))
    if (hasTemplate || before === after || !before.startsWith(after)) return text
    return text.replaceAll(`\n${before}`, `\n${after}`)
  }

  /** Expressions of arrow functions that are replaced by blocks. */
  readonly #blocks = new Map<Syntax, (own: string) => string>()

  /** Returns the new source. */
  result(): string {
    return this.source.slice(0, this.root.start) + this.render(this.root) + this.source.slice(this.root.end)
  }
}

/** Returns the statement or class member above which a comment about `node` is written. */
function anchorOf(node: Syntax): Syntax {
  for (let inner = node; inner.parent !== undefined; inner = inner.parent) {
    if (inner.named && ['program', 'class_body', 'statement_block'].includes(inner.parent.kind)) return inner
  }
  return node
}
