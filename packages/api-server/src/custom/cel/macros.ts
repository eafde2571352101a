import { ACCUMULATOR, call, type Expr, type Fold, ident, list, literal } from "./ast.ts"

/** Why a macro cannot be expanded. */
export class MacroFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/**
 * Expands a macro call; undefined when the name and the number of arguments are not a macro's. Upstream:
 * cel-go/parser/macro.go, ext/comprehensions.go, cel/library.go (optional types), ext/bindings.go.
 */
export const expandMacro = (
  at: number,
  name: string,
  target: Expr | undefined,
  args: ReadonlyArray<Expr>
): Expr | undefined => {
  if (target === undefined) return name === "has" && args.length === 1 ? presence(at, args[0]) : undefined
  if (target.kind === "ident" && target.name === "cel" && name === "bind") return bind(at, args)
  return macros[`${name}/${args.length}`]?.(at, target, args)
}

type Macro = (at: number, target: Expr, args: ReadonlyArray<Expr>) => Expr

const presence = (at: number, argument: Expr | undefined): Expr => {
  if (argument?.kind !== "select") throw new MacroFault("invalid argument to has() macro", argument?.at ?? at)
  return { ...argument, at, testOnly: true }
}

const variable = (argument: Expr | undefined, at: number): string => {
  if (argument?.kind === "ident") return argument.name
  throw new MacroFault("argument must be a simple name", argument?.at ?? at)
}

const bind = (at: number, [name, init, result]: ReadonlyArray<Expr>): Expr | undefined => {
  if (init === undefined || result === undefined) return undefined
  return { kind: "bind", at, name: variable(name, at), init, result }
}

const accumulated = (at: number): Expr => ident(at, ACCUMULATOR)

/** The parts of a comprehension that differ between macros. */
type Parts = Pick<Fold, "condition" | "init" | "result" | "step">

const quantifiers: Readonly<Record<string, (at: number, predicate: Expr) => Parts>> = {
  all: (at, predicate) => ({
    init: literal(at, true),
    condition: call(at, "@not_strictly_false", [accumulated(at)]),
    step: call(at, "_&&_", [accumulated(at), predicate]),
    result: accumulated(at)
  }),
  exists: (at, predicate) => ({
    init: literal(at, false),
    condition: call(at, "@not_strictly_false", [call(at, "!_", [accumulated(at)])]),
    step: call(at, "_||_", [accumulated(at), predicate]),
    result: accumulated(at)
  }),
  exists_one: (at, predicate) => ({
    init: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, "_?_:_", [predicate, call(at, "_+_", [accumulated(at), literal(at, 1n)]), accumulated(at)]),
    result: call(at, "_==_", [accumulated(at), literal(at, 1n)])
  })
}

/** A comprehension that accumulates: `step` adds one item to the accumulator, for items that satisfy the predicate. */
const gathering = (at: number, init: Expr, step: Expr, predicate: Expr | undefined): Parts => ({
  init,
  condition: literal(at, true),
  step: predicate === undefined ? step : call(at, "_?_:_", [predicate, step, accumulated(at)]),
  result: accumulated(at)
})

const appended = (at: number, item: Expr): Expr => call(at, "_+_", [accumulated(at), list(at, [item])])

const gathered = (at: number, item: Expr, predicate: Expr | undefined): Parts =>
  gathering(at, list(at, []), appended(at, item), predicate)

const inserted = (at: number, entry: ReadonlyArray<Expr>, predicate: Expr | undefined): Parts =>
  gathering(at, { kind: "map", at, entries: [] }, call(at, "cel.@mapInsert", [accumulated(at), ...entry]), predicate)

/** With one variable: the item of a list or the key of a map. */
const single = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro => {
  return (at, range, [name, ...args]) => {
    return { kind: "fold", at, range, first: variable(name, at), second: undefined, ...parts(at, args) }
  }
}

/** With two variables: the index and the item of a list, or the key and the value of a map. */
const double = (parts: (at: number, args: ReadonlyArray<Expr>) => Parts): Macro => {
  return (at, range, [first, second, ...args]) => {
    return { kind: "fold", at, range, first: variable(first, at), second: variable(second, at), ...parts(at, args) }
  }
}

/** Returns an argument that the argument count guarantees. */
const present = (args: ReadonlyArray<Expr>, index: number): Expr => args[index] ?? literal(0, null)

const quantifier = (name: string) => (at: number, args: ReadonlyArray<Expr>) =>
  (quantifiers[name] as (at: number, predicate: Expr) => Parts)(at, present(args, 0))

const optionalMap = (flat: boolean): Macro => {
  return (at, target, [name, body]) => {
    const value = call(at, "value", [], target)
    const bound: Expr = { kind: "bind", at, name: variable(name, at), init: value, result: body ?? literal(at, null) }
    const made = flat ? bound : call(at, "optional.of", [bound])
    return call(at, "_?_:_", [call(at, "hasValue", [], target), made, call(at, "optional.none", [])])
  }
}

const macros: Readonly<Record<string, Macro>> = {
  "all/2": single(quantifier("all")),
  "exists/2": single(quantifier("exists")),
  "exists_one/2": single(quantifier("exists_one")),
  "existsOne/2": single(quantifier("exists_one")),
  "filter/2": (at, range, args) =>
    single((_, [predicate]) => gathered(at, ident(at, variable(args[0], at)), predicate))(at, range, args),
  "map/2": single((at, args) => gathered(at, present(args, 0), undefined)),
  "map/3": single((at, args) => gathered(at, present(args, 1), args[0])),
  "all/3": double(quantifier("all")),
  "exists/3": double(quantifier("exists")),
  "existsOne/3": double(quantifier("exists_one")),
  "exists_one/3": double(quantifier("exists_one")),
  "transformList/3": double((at, args) => gathered(at, present(args, 0), undefined)),
  "transformList/4": double((at, args) => gathered(at, present(args, 1), args[0])),
  "transformMap/3": (at, range, args) =>
    double((_, [value]) => inserted(at, [ident(at, variable(args[0], at)), value ?? literal(at, null)], undefined))(
      at,
      range,
      args
    ),
  "transformMap/4": (at, range, args) =>
    double((_, [predicate, value]) =>
      inserted(at, [ident(at, variable(args[0], at)), value ?? literal(at, null)], predicate)
    )(at, range, args),
  "transformMapEntry/3": double((at, args) => inserted(at, [present(args, 0)], undefined)),
  "transformMapEntry/4": double((at, args) => inserted(at, [present(args, 1)], args[0])),
  "optMap/2": optionalMap(false),
  "optFlatMap/2": optionalMap(true)
}
