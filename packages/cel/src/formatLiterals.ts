import type { Call, Expr } from "./ast.ts"
import type { Fault } from "./faults.ts"
import { type ClauseKind, clausesOf, FormatFault, wrongArgument } from "./formatClauses.ts"
import { type CelKind, DYN, unwrapped } from "./types.ts"

/** The types of arguments that a clause accepts. */
const accepted: Readonly<Record<ClauseKind, ReadonlyArray<CelKind>>> = {
  b: ["bool", "int", "uint"],
  d: ["int", "uint"],
  e: ["double", "string"],
  f: ["double", "string"],
  o: ["int", "uint"],
  s: ["bool", "bytes", "double", "duration", "int", "list", "map", "null_type", "string", "timestamp", "type", "uint"],
  x: ["bytes", "int", "string", "uint"]
}

/**
 * Returns what is wrong with a call of `format` whose text and list of arguments are literals; undefined if nothing is.
 * Upstream: cel-go/ext/formatting.go, stringFormatValidator.
 */
export const formatFault = ({ args, at, target }: Call): Fault | undefined => {
  const [list] = args
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return undefined
  const { items } = list
  let count = 0
  for (const clause of clausesOf(target.value)) {
    if (typeof clause === "string") continue
    const item = items[count]
    const isFault = clause instanceof FormatFault
    if (isFault && (clause.endsText || item !== undefined)) return { message: clause.message, at }
    if (isFault || item === undefined) return { message: `index ${count} out of range`, at }
    const wrong = wrongPart(writtenPart(item), clause.kind)
    if (wrong !== undefined) {
      const message = wrongArgument(clause.kind, (wrong.type ?? DYN).name)
      return { message: `error during formatting: ${message}`, at: wrong.at }
    }
    count++
  }
  if (items.length === count) return undefined
  return { message: `too many arguments supplied to string.format (expected ${count}, got ${items.length})`, at }
}

/** An optional item counts as what is written: a value that is optional. */
const writtenPart = (item: Expr): Expr => (item.kind === "optional" ? item.value : item)

/** Returns the argument of a clause, or the part of it, that has a wrong type. */
const wrongPart = (argument: Expr, clause: ClauseKind): Expr | undefined => {
  const { kind } = unwrapped(argument.type ?? DYN)
  if (kind !== "dyn" && !accepted[clause].includes(kind)) return argument
  if (clause !== "s") return undefined
  const parts = argument.kind === "list" ? argument.items : argument.kind === "map" ? argument.entries.flat() : []
  for (const part of parts) {
    const wrong = wrongPart(writtenPart(part), clause)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
