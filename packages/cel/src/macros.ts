import { ACCUMULATOR, call, type Expr, type Fold, ident, list, literal } from "./ast.ts"

/** Thrown when a macro cannot be expanded; `at` is the position in the text. */
export class MacroFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/**
 * Expands a macro call; returns undefined if the name and number of arguments are not those of a macro. Upstream:
 * cel-go/parser/macro.go, ext/comprehensions.go, cel/library.go (optional types), ext/bindings.go.
 */
export const expandMacro = (
  at: number,
  name: string,
  target: Expr | undefined,
  args: ReadonlyArray<Expr>
): Expr | undefined => {
  if (target === undefined) return name === "has" && args.length === 1 ? hasMacro(at, args[0]) : undefined
  if (target.kind === "ident" && target.name === "cel" && name === "bind") return bind(at, args)
  return macros[`${name}/${args.length}`]?.(at, target, args)
}

type Macro = (at: number, target: Expr, args: ReadonlyArray<Expr>) => Expr

const hasMacro = (at: number, argument: Expr | undefined): Expr => {
  if (argument?.kind !== "select") throw new MacroFault("invalid argument to has() macro", argument?.at ?? at)
  return { ...argument, at, testOnly: true }
}

/** Returns the name of a variable that a macro binds. */
const variable = (argument: Expr | undefined, at: number): string => {
  if (argument?.kind === "ident") return argument.name
  throw new MacroFault("argument must be a simple name", argument?.at ?? at)
}

const bind = (at: number, [name, init, result]: ReadonlyArray<Expr>): Expr | undefined => {
  if (init === undefined || result === undefined) return undefined
  return { kind: "bind", at, name: variable(name, at), init, result }
}

const accumulator = (at: number): Expr => ident(at, ACCUMULATOR)

/** The parts of a comprehension that differ between macros. */
type Parts = Pick<Fold, "condition" | "init" | "result" | "step">

const quantifiers: Readonly<Record<string, (at: number, predicate: Expr) => Parts>> = {
  all: (at, predicate) => ({
    init: literal(at, true),
    condition: call(at, "@not_strictly_false", [accumulator(at)]),
    step: call(at, "_&&_", [accumulator(at), predicate]),
    result: accumulator(at)
  }),
  exists: (at, predicate) => ({
    init: literal(at, false),
    condition: call(at, "@not_strictly_false", [call(at, "!_", [accumulator(at)])]),
    step: call(at, "_||_", [accumulator(at), predicate]),
    result: accumulator(at)
  }),
  exists_one: (at, predicate) => ({
    init: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, "_?_:_", [predicate, call(at, "_+_", [accumulator(at), literal(at, 1n)]), accumulator(at)]),
    result: call(at, "_==_", [accumulator(at), literal(at, 1n)])
  })
}

/** The parts of a comprehension whose `step` adds an item to the accumulator, for items that satisfy the predicate. */
const accumulating = (at: number, init: Expr, step: Expr, predicate: Expr | undefined): Parts => ({
  init,
  condition: literal(at, true),
  step: predicate === undefined ? step : call(at, "_?_:_", [predicate, step, accumulator(at)]),
  result: accumulator(at)
})

const appendItem = (at: number, item: Expr): Expr => call(at, "_+_", [accumulator(at), list(at, [item])])

const collectList = (at: number, item: Expr, predicate: Expr | undefined): Parts =>
  accumulating(at, list(at, []), appendItem(at, item), predicate)

const collectMap = (at: number, entry: ReadonlyArray<Expr>, predicate: Expr | undefined): Parts =>
  accumulating(at, { kind: "map", at, entries: [] }, call(at, "cel.@mapInsert", [accumulator(at), ...entry]), predicate)

/** Makes a macro with one variable: the item of a list or the key of a map. */
const oneVariable = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro => {
  return (at, range, [name, ...args]) => {
    return { kind: "fold", at, range, first: variable(name, at), second: undefined, ...parts(at, args) }
  }
}

/** Makes a macro with two variables: the index and the item of a list, or the key and the value of a map. */
const twoVariables = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro => {
  return (at, range, [first, second, ...args]) => {
    return { kind: "fold", at, range, first: variable(first, at), second: variable(second, at), ...parts(at, args) }
  }
}

/** Returns an argument that the argument count guarantees. */
const argumentAt = (args: ReadonlyArray<Expr>, index: number): Expr => args[index] ?? literal(0, null)

const quantifier = (name: string) => (at: number, args: ReadonlyArray<Expr>) =>
  (quantifiers[name] as (at: number, predicate: Expr) => Parts)(at, argumentAt(args, 0))

const optionalMap = (flat: boolean): Macro => {
  return (at, target, [name, body]) => {
    const value = call(at, "value", [], target)
    const bound: Expr = { kind: "bind", at, name: variable(name, at), init: value, result: body ?? literal(at, null) }
    const made = flat ? bound : call(at, "optional.of", [bound])
    return call(at, "_?_:_", [call(at, "hasValue", [], target), made, call(at, "optional.none", [])])
  }
}

/** The macros by name and number of arguments. */
const macros: Readonly<Record<string, Macro>> = {
  "all/2": oneVariable(quantifier("all")),
  "exists/2": oneVariable(quantifier("exists")),
  "exists_one/2": oneVariable(quantifier("exists_one")),
  "existsOne/2": oneVariable(quantifier("exists_one")),
  "filter/2": (at, range, args) =>
    oneVariable((_, [predicate]) => collectList(at, ident(at, variable(args[0], at)), predicate))(at, range, args),
  "map/2": oneVariable((at, args) => collectList(at, argumentAt(args, 0), undefined)),
  "map/3": oneVariable((at, args) => collectList(at, argumentAt(args, 1), args[0])),
  "all/3": twoVariables(quantifier("all")),
  "exists/3": twoVariables(quantifier("exists")),
  "existsOne/3": twoVariables(quantifier("exists_one")),
  "exists_one/3": twoVariables(quantifier("exists_one")),
  "transformList/3": twoVariables((at, args) => collectList(at, argumentAt(args, 0), undefined)),
  "transformList/4": twoVariables((at, args) => collectList(at, argumentAt(args, 1), args[0])),
  "transformMap/3": (at, range, args) =>
    twoVariables((_, [value]) =>
      collectMap(at, [ident(at, variable(args[0], at)), value ?? literal(at, null)], undefined)
    )(at, range, args),
  "transformMap/4": (at, range, args) =>
    twoVariables((_, [predicate, value]) =>
      collectMap(at, [ident(at, variable(args[0], at)), value ?? literal(at, null)], predicate)
    )(at, range, args),
  "transformMapEntry/3": twoVariables((at, args) => collectMap(at, [argumentAt(args, 0)], undefined)),
  "transformMapEntry/4": twoVariables((at, args) => collectMap(at, [argumentAt(args, 1)], args[0])),
  "optMap/2": optionalMap(false),
  "optFlatMap/2": optionalMap(true)
}
