import { ACCUMULATOR, type Call, call, type Expr, type Fold, ident, list, literal } from "./ast.ts"

/** Thrown when a macro cannot be expanded; `at` is the position in the text. */
export class MacroFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/**
 * Expands a macro call; returns undefined if the name and number of arguments are not those of a macro. `bindings` says
 * whether there is `cel.bind`. Upstream: cel-go/parser/macro.go, ext/{comprehensions,lists,bindings}.go, cel/library.go.
 */
export const expandMacro = ({ args, at, name, target }: Call, bindings: boolean): Expr | undefined => {
  if (target === undefined) return name === "has" && args.length === 1 ? hasMacro(at, args[0]) : undefined
  if (bindings && target.kind === "ident" && target.name === "cel" && name === "bind") return bind(at, args)
  return macros[`${name}/${args.length}`]?.(at, target, args)
}

type Macro = (at: number, target: Expr, args: ReadonlyArray<Expr>) => Expr

const hasMacro = (at: number, argument: Expr | undefined): Expr => {
  if (argument?.kind !== "select") throw new MacroFault("invalid argument to has() macro", argument?.at ?? at)
  return { ...argument, at, testOnly: true }
}

/** The accumulator's name in earlier versions, which variables cannot have either. */
const EARLIER_ACCUMULATOR = "__result__"

/** Returns the name that an argument consists of; throws if it is more than a name. */
const nameOf = (argument: Expr | undefined, at: number, error: string): string => {
  if (argument?.kind === "ident") return argument.name
  throw new MacroFault(error, argument?.at ?? at)
}

/** Returns the name of a variable that a comprehension binds. */
const variable = (argument: Expr | undefined, at: number, error = "argument must be a simple name"): string => {
  const name = nameOf(argument, at, error)
  if (name !== EARLIER_ACCUMULATOR) return name
  throw new MacroFault("iteration variable overwrites accumulator variable", argument?.at ?? at)
}

const NOT_AN_IDENTIFIER = "argument is not an identifier"

const bind = (at: number, [name, init, result]: ReadonlyArray<Expr>): Expr | undefined => {
  if (init === undefined || result === undefined) return undefined
  return {
    kind: "bind",
    at,
    name: nameOf(name, at, "cel.bind() variable names must be simple identifiers"),
    init,
    result
  }
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
const oneVariable = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts, error?: string): Macro => {
  return (at, range, [name, ...args]) => {
    return { kind: "fold", at, range, first: variable(name, at, error), second: undefined, ...parts(at, args) }
  }
}

/** Makes a macro with one variable that collects items. */
const collector = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro =>
  oneVariable(parts, NOT_AN_IDENTIFIER)

/** Makes a macro with two variables: the index and the item of a list, or the key and the value of a map. */
const twoVariables = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro => {
  return (at, range, [one, two, ...args]) => {
    const [first, second] = [variable(one, at), variable(two, at)]
    if (first === second) throw new MacroFault(`duplicate variable name: ${first}`, two?.at ?? at)
    return { kind: "fold", at, range, first, second, ...parts(at, args) }
  }
}

/** Returns an argument that the argument count guarantees. */
const argumentAt = (args: ReadonlyArray<Expr>, index: number): Expr => args[index] ?? literal(0, null)

const quantifier = (name: string) => (at: number, args: ReadonlyArray<Expr>) =>
  (quantifiers[name] as (at: number, predicate: Expr) => Parts)(at, argumentAt(args, 0))

const optionalMap = (macro: string, flat: boolean): Macro => {
  return (at, target, [argument, body]) => {
    const value = call(at, "value", [], target)
    const name = nameOf(argument, at, `${macro}() variable name must be a simple identifier`)
    const bound: Expr = { kind: "bind", at, name, init: value, result: body ?? literal(at, null) }
    const made = flat ? bound : call(at, "optional.of", [bound])
    return call(at, "_?_:_", [call(at, "hasValue", [], target), made, call(at, "optional.none", [])])
  }
}

/** The function that `sortBy` calls with the list and the keys of its items. */
export const SORT_BY_KEYS = "@sortByAssociatedKeys"
const SORTED_LIST = "@__sortBy_input__"

/** Expands to a call with the list, which is bound so that it is evaluated once, and with the key of each item. */
const sortBy: Macro = (at, target, args) => {
  if (target.kind === "literal" || target.kind === "map" || target.kind === "message") {
    const wanted = "a list, identifier, comprehension, call or select expression"
    throw new MacroFault(`sortBy can only be applied to ${wanted}`, target.at)
  }
  const keys = mapMacro(at, ident(at, SORTED_LIST), args)
  const result = call(at, SORT_BY_KEYS, [keys], ident(at, SORTED_LIST))
  return { kind: "bind", at, name: SORTED_LIST, init: target, result }
}

const mapMacro = collector((at, args) => collectList(at, argumentAt(args, 0), undefined))

/** The macros by name and number of arguments. */
const macros: Readonly<Record<string, Macro>> = {
  "all/2": oneVariable(quantifier("all")),
  "exists/2": oneVariable(quantifier("exists")),
  "exists_one/2": oneVariable(quantifier("exists_one")),
  "filter/2": (at, range, args) =>
    collector((_, [predicate]) => collectList(at, ident(at, variable(args[0], at)), predicate))(at, range, args),
  "map/2": mapMacro,
  "map/3": collector((at, args) => collectList(at, argumentAt(args, 1), args[0])),
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
  "optMap/2": optionalMap("optMap", false),
  "optFlatMap/2": optionalMap("optFlatMap", true),
  "sortBy/2": sortBy
}
