import { NOWHERE } from "./faults.ts"
import { SyntaxFault } from "./SyntaxFault.ts"

/** The maximum nesting of an expression. Upstream: cel-go/parser/options.go, maxRecursionDepth. */
export const MAX_DEPTH = 250

export const TOO_DEEP = `expression recursion limit exceeded: ${MAX_DEPTH}`

interface ParseFault {
  readonly message: string
  readonly range?: { readonly start: number }
}

/** Translates the library's errors of literals, macros and limits to cel-go's; `syntaxFaults` finds those of the grammar. */
export const syntaxFault = (error: unknown): SyntaxFault => {
  if (error instanceof RangeError) return new SyntaxFault(TOO_DEEP, NOWHERE)
  const { message, range } = error as ParseFault
  const first = message.split("\n")[0] ?? ""
  const at = range?.start ?? 0
  if (first.startsWith("Exceeded maxDepth")) return new SyntaxFault(TOO_DEEP, NOWHERE)
  const reserved = /^Reserved identifier: (.*)$/.exec(first)?.[1]
  if (reserved !== undefined) return new SyntaxFault(`reserved identifier: ${reserved}`, at)
  if (first === "invalid variable argument") {
    return new SyntaxFault("cel.bind() variable names must be simple identifiers", at)
  }
  const literalMessage = literalFault(first)
  if (literalMessage !== undefined) return new SyntaxFault(literalMessage, at)
  const macro = /^(\w+)\(.*\) invalid .*variable$/.exec(first)?.[1]
  if (macro !== undefined) return new SyntaxFault(VARIABLE_ERRORS[macro] ?? "argument must be a simple name", at)
  return new SyntaxFault(`Syntax error: ${first}`, at)
}

const INVALID_CHARACTER = "invalid unicode code point"
const INVALID_ESCAPE = "unable to unescape string"

/** Returns cel-go's error for a literal that is of the grammar and has no value. */
const literalFault = (message: string): string | undefined => {
  if (message.startsWith("Invalid Unicode")) return INVALID_CHARACTER
  if (message.endsWith("not allowed in bytes literals")) return INVALID_ESCAPE
  if (/^Invalid (?:hex )?integer: /.test(message)) return "invalid uint literal"
  return message.startsWith("Invalid number: ") ? "invalid double literal" : undefined
}

/** cel-go's errors for what is no name of a variable, where macros differ. */
const VARIABLE_ERRORS: Readonly<Record<string, string>> = {
  filter: "argument is not an identifier",
  map: "argument is not an identifier"
}

/** Whether the error is that of an invalid literal. */
export const isLiteralFault = (message: string): boolean => message === INVALID_CHARACTER || message === INVALID_ESCAPE
