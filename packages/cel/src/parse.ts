import { Environment } from "@marcbachmann/cel-js"
import { call, type Expr, ident, list, literal } from "./ast.ts"
import { expandMacro, MacroFault } from "./macros.ts"
import { MESSAGE, rewriteMessages } from "./messageText.ts"
import { Uint, type Value } from "./values.ts"

/** Thrown for a syntax error of an expression; `at` is the position in the text. */
export class SyntaxFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** The maximum length of an expression. Upstream: cel-go/parser/options.go, expressionSizeCodePointLimit. */
const MAX_LENGTH = 100_000
/** The maximum nesting of an expression. Upstream: cel-go/parser/options.go, maxRecursionDepth. */
const MAX_DEPTH = 250
/** The maximum depth of the tree: chains such as `a + b + c` are left-deep, so that each operator is a level. */
const MAX_LEVELS = 1000

/**
 * Only the library's grammar is used: types, macros and functions are implemented here, since each evaluation step has
 * to be counted.
 */
const grammar = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  limits: {
    maxAstNodes: MAX_LENGTH,
    maxDepth: MAX_DEPTH,
    maxListElements: MAX_LENGTH,
    maxMapEntries: MAX_LENGTH,
    maxCallArguments: MAX_LENGTH
  }
})

type Parsed = ReturnType<Environment["parse"]>["ast"]

/** Parses an expression. Throws `SyntaxFault`. */
export const parseExpression = (text: string): Expr => {
  if (text.length > MAX_LENGTH) {
    throw new SyntaxFault(`expression code point size exceeds limit: size: ${text.length}, limit ${MAX_LENGTH}`, 0)
  }
  const rewritten = rewriteMessages(text)
  try {
    return parseRewritten(rewritten.text, rewritten.origin)
  } catch (error) {
    if (error instanceof SyntaxFault) throw new SyntaxFault(error.message, rewritten.origin(error.at))
    throw error
  }
}

const parseRewritten = (text: string, origin: (at: number) => number): Expr => {
  let parsed: Parsed
  try {
    parsed = grammar.parse(text).ast
  } catch (error) {
    throw syntaxFault(text, error)
  }
  return new Converter(text, origin).expression(parsed, 0)
}

const operandTokens =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

interface ParseFault {
  readonly message: string
  readonly range?: { readonly start: number }
}

const tokenAt = (text: string, at: number): string => /^(?:\w+|[^\s\w])/.exec(text.slice(at))?.[0] ?? ""

/** Translates the library's error to cel-go's where an operand is missing at the end; otherwise keeps its message. */
const syntaxFault = (text: string, error: unknown): SyntaxFault => {
  if (error instanceof RangeError) return new SyntaxFault(`expression recursion limit exceeded: ${MAX_DEPTH}`, 0)
  const { message, range } = error as ParseFault
  const first = message.split("\n")[0] ?? ""
  const at = range?.start ?? 0
  if (first === "Unexpected token: EOF") {
    return new SyntaxFault(`Syntax error: mismatched input '<EOF>' expecting ${operandTokens}`, at)
  }
  // After a dot, cel-go shows the dot and what follows it.
  if (first.startsWith("Expected IDENTIFIER, got ")) {
    return new SyntaxFault(`Syntax error: no viable alternative at input '.${tokenAt(text, at)}'`, at)
  }
  if (first.startsWith("Exceeded maxDepth")) {
    return new SyntaxFault(`expression recursion limit exceeded: ${MAX_DEPTH}`, at)
  }
  return new SyntaxFault(`Syntax error: ${first}`, at)
}

/** cel-go's names of the functions of operators. */
const binaryOperators: Readonly<Record<string, string>> = {
  "!=": "_!=_",
  "%": "_%_",
  "&&": "_&&_",
  "*": "_*_",
  "+": "_+_",
  "-": "_-_",
  "/": "_/_",
  "<": "_<_",
  "<=": "_<=_",
  "==": "_==_",
  ">": "_>_",
  ">=": "_>=_",
  in: "@in",
  "||": "_||_"
}

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n

/** Converts the library's tree into cel-go's, which the checker and the costs require. */
class Converter {
  private readonly text: string
  private readonly origin: (at: number) => number

  constructor(text: string, origin: (at: number) => number) {
    this.text = text
    this.origin = origin
  }

  /** Converts a tree, with positions in the original text. */
  expression(node: Parsed, level: number): Expr {
    const expr = this.converted(node, level)
    return { ...expr, at: this.origin(expr.at) }
  }

  private converted(node: Parsed, level: number): Expr {
    if (level > MAX_LEVELS) throw new SyntaxFault(`expression recursion limit exceeded: ${MAX_DEPTH}`, node.start)
    const { args, op, start } = node as unknown as { args: never; op: string; start: number }
    const each = (nodes: ReadonlyArray<Parsed>) => nodes.map((inner) => this.expression(inner, level + 1))
    const one = (inner: Parsed) => this.expression(inner, level + 1)
    switch (op) {
      case "value":
        return this.literal(start, args)
      case "id":
        return ident(start, args)
      case ".":
        return {
          kind: "select",
          at: this.positionBefore(node.pos, "."),
          operand: one(args[0]),
          field: args[1],
          testOnly: false
        }
      case ".?": {
        const operand = one(args[0])
        return call(this.positionBefore(node.pos, "."), "_?._", [operand, literal(node.pos, args[1])])
      }
      case "[]":
      case "[?]":
        return call(this.positionAfter(args[0], "["), op === "[]" ? "_[_]" : "_[?_]", each(args))
      case "list":
        return list(start, each(args))
      case "map":
        return {
          kind: "map",
          at: start,
          entries: (args as ReadonlyArray<[Parsed, Parsed]>).map(([key, value]) => [one(key), one(value)])
        }
      case "?:":
        return call(this.positionAfter(args[0], "?"), "_?_:_", each(args))
      case "!_":
        return call(start, "!_", [one(args)])
      case "-_":
        return this.negative(start, args, level)
      case "call":
        return this.call(this.text.indexOf("(", start), args[0], undefined, each(args[1]), start)
      case "rcall": {
        if (args[0] === MESSAGE) return this.message(args[1], args[2][0], level)
        const at = this.text.indexOf("(", (args[1] as Parsed).end)
        return this.call(at, args[0], one(args[1]), each(args[2]), start)
      }
    }
    const name = binaryOperators[op]
    if (name === undefined) throw new SyntaxFault(`Syntax error: unsupported operator ${op}`, start)
    return call(this.positionAfter(args[0], op), name, each(args))
  }

  private message(type: Parsed, fields: Parsed | undefined, level: number): Expr {
    const entries = (fields as unknown as { args: ReadonlyArray<[{ args: string; start: number }, Parsed]> }).args
    return {
      kind: "message",
      at: this.text.indexOf(`.${MESSAGE}(`, type.start),
      name: this.text.slice(type.start, type.end).replace(/\s/g, ""),
      fields: entries.map(([name, value]) => ({
        name: name.args.replace("?", ""),
        value: this.expression(value, level + 1),
        optional: name.args.startsWith("?")
      }))
    }
  }

  private literal(at: number, value: unknown): Expr {
    if (typeof value === "bigint" && value > MAX_INT) throw new SyntaxFault("invalid int literal", at)
    const known = typeof value === "object" && value !== null && "valueOf" in value && !(value instanceof Uint8Array)
    return literal(at, known ? new Uint(value.valueOf() as unknown as bigint) : (value as Value))
  }

  /**
   * Converts a negation. A sign before digits is part of the number, as the smallest integer has no positive
   * counterpart.
   */
  private negative(at: number, inner: Parsed, level: number): Expr {
    const { args, op } = inner as unknown as { args: unknown; op: string }
    if (op === "value" && typeof args === "bigint") {
      if (-args < MIN_INT) throw new SyntaxFault("invalid int literal", at)
      return literal(at, -args)
    }
    if (op === "value" && typeof args === "number") return literal(at, -args)
    return call(at, "-_", [this.expression(inner, level + 1)])
  }

  private call(at: number, name: string, target: Expr | undefined, args: ReadonlyArray<Expr>, start: number): Expr {
    try {
      const expanded = expandMacro(at, name, target, args)
      if (expanded !== undefined) return expanded
    } catch (error) {
      if (error instanceof MacroFault) throw new SyntaxFault(error.message, error.at)
      throw error
    }
    // `ip.isCanonical`, `optional.of`: calls of functions with qualified names, not of methods.
    if (target?.kind === "ident" && namespaces.has(target.name)) return call(at, `${target.name}.${name}`, args)
    return target === undefined ? call(at < 0 ? start : at, name, args) : call(at, name, args, target)
  }

  /** Returns the position of an operator before a position, where cel-go reports errors. */
  private positionBefore(position: number, mark: string): number {
    const found = this.text.lastIndexOf(mark, position)
    return found < 0 ? position : found
  }

  /** Returns the position of an operator after its left operand. */
  private positionAfter(left: Parsed, mark: string): number {
    const found = this.text.indexOf(mark, left.end)
    return found < 0 ? left.start : found
  }
}

const namespaces: ReadonlySet<string> = new Set(["cidr", "format", "ip", "lists", "math", "optional", "semver", "sets"])
