import { Environment } from "@marcbachmann/cel-js"
import { call, type Expr, ident, list, literal } from "./ast.ts"
import { bytesOf } from "./bytesLiteral.ts"
import { NOWHERE } from "./faults.ts"
import { MESSAGE, OPTIONAL, type Rewritten, ROOT, rewriteGrammar } from "./grammarText.ts"
import { isLiteralFault, MAX_DEPTH, syntaxFault, TOO_DEEP } from "./libraryFaults.ts"
import { expandMacro, MacroFault } from "./macros.ts"
import { SyntaxFault } from "./SyntaxFault.ts"
import { tokensOf } from "./syntaxTokens.ts"
import { Uint, type Value } from "./values.ts"

/** The maximum length of an expression. Upstream: cel-go/parser/options.go, expressionSizeCodePointLimit. */
export const MAX_LENGTH = 100_000
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

/** Parses an expression; `bindings` says whether there is the macro `cel.bind`. Throws `SyntaxFault`. */
export const parseExpression = (text: string, bindings: boolean): Expr => {
  if (text.length > MAX_LENGTH) {
    throw new SyntaxFault(
      `expression code point size exceeds limit: size: ${text.length}, limit ${MAX_LENGTH}`,
      NOWHERE
    )
  }
  const rewritten = rewriteGrammar(text)
  return new Converter(rewritten.text, rewritten.origin, bindings).expression(parseRewritten(rewritten, text), 0)
}

const parseRewritten = ({ origin, text }: Rewritten, original: string): Parsed => {
  try {
    return grammar.parse(text).ast
  } catch (error) {
    const { at, message } = syntaxFault(error)
    // cel-go reports an invalid literal where it begins.
    const place = isLiteralFault(message)
      ? (tokensOf(original).tokens.findLast((token) => token.at <= origin(at))?.at ?? 0)
      : origin(dotBefore(text, at))
    throw new SyntaxFault(message, place)
  }
}

/** Returns the offset of the dot before a field: cel-go places a selection there, the library at the field. */
const dotBefore = (text: string, at: number): number => {
  const dot = /\.\s*$/.exec(text.slice(0, at))
  return dot === null ? at : dot.index
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

/** The operators that cel-go counts to limit the depth. Upstream: cel-go/parser/parser.go, Visit. */
const countedOperators: ReadonlySet<string> = new Set([
  ...Object.keys(binaryOperators).filter((operator) => operator !== "&&" && operator !== "||"),
  ...[".", ".?", "[]", "[?]", "?:", "rcall"]
])

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n

/** Converts the library's tree into cel-go's, which the checker and the costs require. */
class Converter {
  private readonly text: string
  private readonly origin: (at: number) => number
  private readonly bindings: boolean
  /** The numbers with a sign, and where it is. */
  private readonly signs = new Map<Parsed, number>()
  /** The counted operators around what is converted. */
  private depth = 0

  constructor(text: string, origin: (at: number) => number, bindings: boolean) {
    this.text = text
    this.origin = origin
    this.bindings = bindings
  }

  /** Converts a tree, with positions in the original text. */
  expression(node: Parsed, level: number): Expr {
    if (level > MAX_LEVELS) throw new SyntaxFault(TOO_DEEP, NOWHERE)
    const isCounted = countedOperators.has((node as { readonly op: string }).op)
    if (isCounted) this.depth++
    if (this.depth > MAX_DEPTH) throw new SyntaxFault("max recursion depth exceeded", NOWHERE)
    const converted = this.converted(node, level)
    if (isCounted) this.depth--
    return converted
  }

  private converted(node: Parsed, level: number): Expr {
    const start = this.origin(node.start)
    const { args, op } = node as unknown as { args: never; op: string }
    const each = (nodes: ReadonlyArray<Parsed>) => nodes.map((inner) => this.expression(inner, level + 1))
    const one = (inner: Parsed) => this.expression(inner, level + 1)
    switch (op) {
      case "value":
        return this.literal(node, args)
      case "id":
        return String(args).startsWith(ROOT) ? rootIdent(start, args) : ident(start, args)
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
          entries: (args as ReadonlyArray<[Parsed, Parsed]>).map(([key, value]) => entryOf(one(key), one(value)))
        }
      case "?:":
        return call(this.positionAfter(args[0], "?"), "_?_:_", each(args))
      case "!_":
      case "-_":
        return this.negation(node, args, level)
      case "call":
        return this.call(
          this.text.indexOf("(", node.start),
          String(args[0]).replace(ROOT, "."),
          undefined,
          each(args[1])
        )
      case "rcall": {
        if (args[0] === MESSAGE) return this.message(args[1], args[2][0], level)
        const at = this.text.indexOf("(", (args[1] as Parsed).end)
        return this.call(at, args[0], one(args[1]), each(args[2]))
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
      at: this.origin(this.text.indexOf(`.${MESSAGE}(`, type.start)),
      name: this.text.slice(type.start, type.end).replace(/\s/g, "").replace(ROOT, ""),
      fields: entries.map(([{ args: name, start }, given]) => {
        const at = this.origin(this.text.indexOf(":", start))
        const value = this.expression(given, level + 1)
        return name.startsWith("?") ? { at, name: name.slice(1), value: optionalPart(value) } : { at, name, value }
      })
    }
  }

  private literal(node: Parsed, value: unknown): Expr {
    const sign = this.signs.get(node)
    const at = sign ?? this.origin(node.start)
    const isSigned = sign !== undefined
    if (typeof value === "number") return literal(at, isSigned ? -value : value)
    if (typeof value === "bigint") {
      const whole = isSigned ? -value : value
      if (whole > MAX_INT || whole < MIN_INT) throw new SyntaxFault("invalid int literal", at)
      return literal(at, whole)
    }
    if (value instanceof Uint8Array) return literal(at, bytesOf(this.text.slice(node.start, node.end), value))
    const known = typeof value === "object" && value !== null && "valueOf" in value
    return literal(at, known ? new Uint(value.valueOf() as unknown as bigint) : (value as Value))
  }

  /**
   * Converts `!` or `-`. Two in a row cancel each other, and a sign before digits is part of the number: `-1.x` selects
   * from -1.
   */
  private negation(node: Parsed, operand: Parsed, level: number): Expr {
    const start = this.origin(node.start)
    const { args, op } = operand as unknown as { args: never; op: string }
    if (op === node.op && this.isAdjacent(node, operand)) return this.expression(args, level)
    const number = firstOperand(operand)
    if (node.op === "-_" && isNumber(number) && this.isAdjacent(node, number)) {
      this.signs.set(number, start)
      return this.expression(operand, level)
    }
    return call(start, node.op, [this.expression(operand, level + 1)])
  }

  /** Whether only blanks are between an operator and its operand. */
  private isAdjacent(operator: Parsed, operand: Parsed): boolean {
    return this.text.slice(operator.start + 1, operand.start).trim() === ""
  }

  private call(at: number, name: string, target: Expr | undefined, args: ReadonlyArray<Expr>): Expr {
    const [argument] = args
    if (name === OPTIONAL && argument !== undefined) return optionalPart(argument)
    const made = call(this.origin(at), name, args, target)
    try {
      return expandMacro(made, this.bindings) ?? made
    } catch (error) {
      if (error instanceof MacroFault) throw new SyntaxFault(error.message, error.at)
      throw error
    }
  }

  /** Returns the position of an operator before a position, where cel-go reports errors. */
  private positionBefore(position: number, mark: string): number {
    const found = this.text.lastIndexOf(mark, position)
    return this.origin(found < 0 ? position : found)
  }

  /** Returns the position of an operator after its left operand. */
  private positionAfter(left: Parsed, mark: string): number {
    const found = this.text.indexOf(mark, left.end)
    return this.origin(found < 0 ? left.start : found)
  }
}

/** Returns the value from which an expression selects: `a` of `a.b[0].c()`. */
const firstOperand = (node: Parsed): Parsed => {
  const { args, op } = node as unknown as { args: unknown; op: string }
  const [first, second]: ReadonlyArray<Parsed> = Array.isArray(args) ? args : []
  const operand = op === "rcall" ? second : [".", ".?", "[]", "[?]"].includes(op) ? first : undefined
  return operand === undefined ? node : firstOperand(operand)
}

const isNumber = ({ args, op }: Parsed): boolean =>
  op === "value" && (typeof args === "bigint" || typeof args === "number")

/** A name with a dot before it, which only its errors show. */
const rootIdent = (at: number, name: string): Expr => ({
  kind: "ident",
  at,
  name: name.slice(ROOT.length),
  isRoot: true
})

const optionalPart = (value: Expr): Expr => ({ kind: "optional", at: value.at, value })

/** An entry whose key is written as optional has an optional value. */
const entryOf = (key: Expr, value: Expr): readonly [Expr, Expr] =>
  key.kind === "optional" ? [key.value, optionalPart(value)] : [key, value]
