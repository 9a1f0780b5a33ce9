// The syntax tree of a source file, read once from ast-grep.

/** The members of ast-grep's syntax nodes that this module uses. */
export interface ParsedNode {
  kind(): string
  isNamed(): boolean
  children(): ParsedNode[]
  range(): { readonly start: { readonly index: number }; readonly end: { readonly index: number } }
}

/** A node of the syntax tree. */
export class Syntax {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly named: boolean
  readonly parent: Syntax | undefined
  readonly children: readonly Syntax[]
  readonly #source: string

  constructor(node: ParsedNode, source: string, parent?: Syntax) {
    const { start, end } = node.range()
    this.kind = node.kind()
    this.start = start.index
    this.end = end.index
    this.named = node.isNamed()
    this.parent = parent
    this.#source = source
    this.children = node.children().map((child) => new Syntax(child, source, this))
  }

  get text(): string {
    return this.#source.slice(this.start, this.end)
  }

  /** The named children except for comments. */
  get parts(): Syntax[] {
    return this.children.filter((child) => child.named && child.kind !== 'comment')
  }

  /** Yields this node and all its descendants, in source order. */
  *walk(): Generator<Syntax> {
    yield this
    for (const child of this.children) yield* child.walk()
  }

  /** Returns the first child that is of one of these kinds, or `undefined` if there is none. */
  child(...kinds: string[]): Syntax | undefined {
    return this.children.find((child) => kinds.includes(child.kind))
  }

  /** Returns the nearest ancestor that is of one of these kinds, or `undefined` if there is none. */
  above(...kinds: string[]): Syntax | undefined {
    for (let node = this.parent; node !== undefined; node = node.parent) if (kinds.includes(node.kind)) return node
    return undefined
  }

  /** Returns whether `node` is this node or one of its descendants. */
  contains(node: Syntax): boolean {
    return this.start <= node.start && node.end <= this.end
  }
}

const FUNCTIONS = ['arrow_function', 'function_expression', 'function_declaration', 'method_definition', 'function']

/** Returns the innermost function that contains the node, or `undefined` at the top level. */
export function functionAround(node: Syntax): Syntax | undefined {
  return node.above(...FUNCTIONS)
}

export function isFunction(node: Syntax | undefined): node is Syntax {
  return node !== undefined && FUNCTIONS.includes(node.kind)
}

export function isAsync(node: Syntax): boolean {
  return node.child('async') !== undefined
}

export function parametersOf(node: Syntax): Syntax[] {
  const list = node.child('formal_parameters')
  if (list !== undefined) return list.parts
  const [first] = node.parts
  return first?.kind === 'identifier' ? [first] : []
}

/** Returns a parameter's name or destructuring pattern, without its type and default value. */
export function patternOf(node: Syntax): Syntax {
  if (['required_parameter', 'optional_parameter', 'assignment_pattern'].includes(node.kind)) {
    const [first] = node.parts
    return first === undefined ? node : patternOf(first)
  }
  return node
}

/** Returns a function's body, which is a block or an expression. */
export function bodyOf(node: Syntax): Syntax | undefined {
  return node.parts.at(-1)
}

/** Returns the arguments of a call or of a `new` expression. */
export function argumentsOf(call: Syntax): Syntax[] {
  return call.child('arguments')?.parts ?? []
}

/** Returns the expression that is called. */
export function calleeOf(call: Syntax): Syntax | undefined {
  return call.kind === 'call_expression' ? call.parts[0] : undefined
}

/** Returns the object and the property of a member expression, or `undefined` for other expressions. */
export function memberOf(node: Syntax | undefined): { object: Syntax; property: Syntax } | undefined {
  if (node?.kind !== 'member_expression') return undefined
  const object = node.parts[0]
  const property = node.child('property_identifier')
  return object && property ? { object, property } : undefined
}

/** Returns the expression without parentheses, `as`, `satisfies`, and `!`. */
export function bare(node: Syntax): Syntax {
  const wrappers = ['parenthesized_expression', 'as_expression', 'satisfies_expression', 'non_null_expression']
  const [first] = node.parts
  return wrappers.includes(node.kind) && first !== undefined ? bare(first) : node
}

/**
 * Returns the value of a string literal, or of a template literal without substitutions. Returns `undefined` for other
 * expressions.
 */
export function stringOf(node: Syntax | undefined): string | undefined {
  if (node === undefined) return undefined
  if (node.kind === 'template_string') {
    return node.child('template_substitution') || node.text.includes('\\') ? undefined : node.text.slice(1, -1)
  }
  if (node.kind !== 'string') return undefined
  const text = node.text.slice(1, -1)
  return text.includes('\\') ? undefined : text
}

/** A member of an object literal. */
export interface Member {
  readonly name: string
  readonly node: Syntax
  /** The key of a `key: value` pair. `undefined` for a shorthand and a method. */
  readonly key: Syntax | undefined
  /** The value of a pair, the identifier of a shorthand, or the method itself. */
  readonly value: Syntax
  readonly form: 'pair' | 'shorthand' | 'method'
}

/**
 * Returns the members of an object literal. Returns `undefined` if it has computed names or spread members, and for
 * other expressions.
 */
export function membersOf(object: Syntax | undefined): Member[] | undefined {
  if (object?.kind !== 'object') return undefined
  const members: Member[] = []
  for (const node of object.parts) {
    const member = memberFrom(node)
    if (member === undefined) return undefined
    members.push(member)
  }
  return members
}

function memberFrom(node: Syntax): Member | undefined {
  if (node.kind === 'shorthand_property_identifier') {
    return { name: node.text, node, key: undefined, value: node, form: 'shorthand' }
  }
  if (node.kind === 'method_definition') {
    const key = node.child('property_identifier', 'string')
    const name = key && nameOfKey(key)
    return key && name !== undefined ? { name, node, key, value: node, form: 'method' } : undefined
  }
  const [key, value] = node.parts
  const name = key && nameOfKey(key)
  if (node.kind !== 'pair' || !key || !value || name === undefined) return undefined
  return { name, node, key, value, form: 'pair' }
}

function nameOfKey(key: Syntax): string | undefined {
  return key.kind === 'property_identifier' || key.kind === 'number' ? key.text : stringOf(key)
}

export function memberNamed(members: readonly Member[], name: string): Member | undefined {
  return members.find((member) => member.name === name)
}

/** One call in a chain of calls, such as `.b(1)` in `a.b(1).c(2)`. */
export interface Link {
  readonly name: string
  readonly property: Syntax
  readonly call: Syntax
  readonly args: Syntax[]
  /** The source text between the previous call and this call's name: whitespace, comments, and the dot. */
  readonly separator: string
  /** True if the comments in `separator` were added for the converted call. */
  readonly hasOwnComments?: boolean
}

/** A chain of calls on an expression. */
export interface Chain {
  readonly base: Syntax
  readonly links: Link[]
  /** The last call expression. */
  readonly node: Syntax
}

/** Returns the chain whose last call is `call`, or `undefined` if it is not a chain. */
export function chainOf(call: Syntax, source: string): Chain | undefined {
  const links: Link[] = []
  let node = call
  for (;;) {
    const member = node.kind === 'call_expression' ? memberOf(calleeOf(node)) : undefined
    if (member === undefined) break
    const { object, property } = member
    const separator = source.slice(object.end, property.start)
    links.unshift({ name: property.text, property, call: node, args: argumentsOf(node), separator })
    node = object
  }
  return links.length === 0 ? undefined : { base: node, links, node: call }
}

/** Returns the last call of the chain that starts with an expression, or the expression itself if it has no calls. */
export function outermostCall(node: Syntax): Syntax {
  let outermost = node
  for (;;) {
    const member = outermost.parent
    const call = member?.parent
    if (member?.kind !== 'member_expression' || member.parts[0] !== outermost) return outermost
    if (call?.kind !== 'call_expression' || call.parts[0] !== member) return outermost
    outermost = call
  }
}

const STATEMENT_PARENTS = ['program', 'statement_block', 'switch_case', 'switch_default', 'class_static_block']

/** Kinds of nodes whose children run conditionally or repeatedly. */
const CONDITIONAL = [
  'binary_expression',
  'do_statement',
  'else_clause',
  'for_in_statement',
  'for_statement',
  'if_statement',
  'ternary_expression',
  'while_statement',
]

/**
 * Returns the statement in a block that contains the node, within the same function. Returns `undefined` unless the
 * statement runs the node exactly once.
 */
export function statementAround(node: Syntax): Syntax | undefined {
  for (let inner = node; inner.parent !== undefined; inner = inner.parent) {
    if (STATEMENT_PARENTS.includes(inner.parent.kind)) return inner
    if ([...FUNCTIONS, ...CONDITIONAL].includes(inner.parent.kind)) return undefined
  }
  return undefined
}
