import { ACCUMULATOR, type Expr, type Fold, type OptionalPart } from "./ast.ts"
import { type CallEstimate, estimateCall, type Operand } from "./estimateCalls.ts"
import {
  fixed,
  LIST_COST,
  MAP_COST,
  MAX_ESTIMATE,
  MESSAGE_COST,
  ONE,
  plus,
  type Range,
  sumOf,
  times,
  UNKNOWN,
  union,
  ZERO
} from "./estimateSizes.ts"
import { literalSize } from "./literalSize.ts"
import { Scopes } from "./Scopes.ts"
import { qualifiedName, typeNamed } from "./typeNames.ts"
import { type CelType, DYN, isScalar } from "./types.ts"

/**
 * Estimates the minimum and maximum cost of a checked expression, for values as large as the types of its variables
 * allow. Upstream: cel-go/checker/cost.go, as of v0.26; apiextensions-apiserver's sizeEstimator.
 */
export const estimateCost = (expr: Expr, root: CelType, variable?: string): Range =>
  new CostEstimator(root, variable).cost(expr)

/** The sizes of the keys (or items) and values of an expression's result. */
interface EntrySizes {
  readonly kind: "list" | "map"
  readonly key: Range
  readonly value: Range
}

/** A variable and the fields below it: `["self", "spec", "@items"]`; @items, @keys, @values stand for all entries. */
type Path = ReadonlyArray<string>

/** A variable that a macro binds. */
interface Local {
  readonly path: Path
  readonly size: Range | undefined
  readonly entries: EntrySizes | undefined
}

class CostEstimator {
  private readonly root: CelType
  private readonly paths = new Map<Expr, Path>()
  private readonly sizes = new Map<Expr, Range>()
  private readonly entrySizes = new Map<Expr, EntrySizes>()
  private readonly locals = new Scopes<Local>()

  private readonly variable: string | undefined

  constructor(root: CelType, variable: string | undefined) {
    this.root = root
    this.variable = variable
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return ZERO
      case "ident":
        this.paths.set(expr, this.locals.get(expr.name)?.path ?? [expr.name])
        return ONE
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return this.list(expr)
      case "map":
        return this.map(expr)
      case "message":
        return plus(sumOf(expr.fields.map(({ value }) => this.cost(value))), fixed(MESSAGE_COST))
      case "fold":
        return this.fold(expr)
      case "bind":
        return this.bind(expr)
      case "optional":
        return this.optional(expr)
    }
  }

  private optional(expr: OptionalPart): Range {
    const cost = this.cost(expr.value)
    this.copySizes(expr, expr.value)
    return cost
  }

  private select(expr: Expr & { readonly kind: "select" }): Range {
    if (expr.type?.kind === "type") {
      const name = qualifiedName(expr)
      if (name !== undefined && typeNamed(name) !== undefined) {
        this.paths.set(expr, [name])
        return ONE
      }
    }
    const operand = this.cost(expr.operand)
    if (expr.testOnly) return operand
    const kind = expr.operand.type?.kind
    this.paths.set(expr, [...this.path(expr.operand), expr.field])
    return kind === "map" || kind === "object" || kind === "param" ? plus(operand, ONE) : operand
  }

  private list(expr: Expr & { readonly kind: "list" }): Range {
    const { items } = expr
    const costs = items.map((item) => this.cost(item))
    const value = this.unionOfSizes(items)
    this.entrySizes.set(expr, { kind: "list", key: ONE, value })
    return plus(sumOf(costs), fixed(LIST_COST))
  }

  private map(expr: Expr & { readonly kind: "map" }): Range {
    const keys = expr.entries.map(([key]) => key)
    const values = expr.entries.map(([, value]) => value)
    const costs = [...keys, ...values].map((each) => this.cost(each))
    this.entrySizes.set(expr, { kind: "map", key: this.unionOfSizes(keys), value: this.unionOfSizes(values) })
    return plus(sumOf(costs), fixed(MAP_COST))
  }

  private unionOfSizes(items: ReadonlyArray<Expr>): Range {
    if (items.length === 0) return ZERO
    return items.map((item) => this.sizeOrUnknown(item)).reduce(union, { min: MAX_ESTIMATE, max: 0 })
  }

  private bind(expr: Expr & { readonly kind: "bind" }): Range {
    const init = this.cost(expr.init)
    return this.locals.within([[expr.name, this.known(expr.init)]], () => {
      const result = this.cost(expr.result)
      this.copySizes(expr, expr.result)
      return plus(plus(fixed(LIST_COST), init), result)
    })
  }

  /** Returns what is known of an expression's value. */
  private known(expr: Expr): Local {
    return { path: this.path(expr), size: this.size(expr), entries: this.entries(expr) }
  }

  private fold(expr: Fold): Range {
    const range = this.cost(expr.range)
    const init = this.cost(expr.init)
    const [loop, result] = this.locals.within([[ACCUMULATOR, this.known(expr.init)]], () => {
      const each = this.locals.within(this.items(expr), () => plus(this.cost(expr.condition), this.cost(expr.step)))
      return [each, this.cost(expr.result)] as const
    })
    const count = this.sizeOrUnknown(expr.range)
    if (expr.init.kind === "literal") {
      const size = this.size(expr.init)
      if (size !== undefined) this.sizes.set(expr, size)
    } else {
      this.sizes.set(expr, count)
      const entries = this.entries(expr.step)
      if (entries !== undefined) this.entrySizes.set(expr, entries)
    }
    return plus(plus(range, init), plus(result, times(count, loop)))
  }

  private items({ first, range, second }: Fold): ReadonlyArray<readonly [string, Local]> {
    const entries = this.entries(range)
    const path = this.path(range)
    const isList = (entries?.kind ?? range.type?.kind) === "list"
    const local = (step: string, size: Range | undefined) => ({ path: [...path, step], size, entries: undefined })
    if (second === undefined) return [[first, isList ? local("@items", entries?.value) : local("@keys", entries?.key)]]
    return [
      [first, local(isList ? "@indices" : "@keys", entries?.key)],
      [second, local(isList ? "@items" : "@values", entries?.value)]
    ]
  }

  private call(expr: Expr & { readonly kind: "call" }): Range {
    const { args, name, target } = expr
    if (name === "dyn" && args[0] !== undefined) {
      const cost = this.cost(args[0])
      this.copySizes(expr, args[0])
      return plus(ONE, cost)
    }
    const argCosts = args.map((arg) => this.cost(arg))
    const operands = args.map((arg) => this.operand(arg))
    const targetCost = target === undefined ? ZERO : this.cost(target)
    const targetOperand = target === undefined ? undefined : this.operand(target)
    let cost: Range = { min: MAX_ESTIMATE, max: 0 }
    let size: Range | undefined
    for (const overload of expr.overloads ?? []) {
      const estimate = this.overload(expr, overload, targetOperand, operands, argCosts)
      cost = union(cost, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size)
      const step = overload === "index_list" ? "@items" : overload === "index_map" ? "@values" : undefined
      if (step !== undefined && args[0] !== undefined) {
        size = this.entries(args[0])?.value
        this.paths.set(expr, [...this.path(args[0]), step])
      }
      size ??= this.size(expr)
    }
    if (size !== undefined) this.sizes.set(expr, size)
    return plus(targetCost, cost)
  }

  /** Returns the cost of one overload, including its arguments. */
  private overload(
    expr: Expr & { readonly kind: "call" },
    overload: string,
    target: Operand | undefined,
    operands: ReadonlyArray<Operand>,
    costs: ReadonlyArray<Range>
  ): CallEstimate {
    const [first = ZERO, second = ZERO, third = ZERO] = costs
    const [left, right, other] = operands
    if (overload === "logical_and" || overload === "logical_or") {
      return { cost: { min: first.min, max: plus(first, second).max } }
    }
    if (overload === "conditional" && right !== undefined && other !== undefined) {
      const [, ifTrue, ifFalse] = expr.args
      this.joinEntries(expr, ifTrue, ifFalse)
      return { cost: plus(first, union(second, third)), size: union(right.size(), other.size()) }
    }
    if (overload === "add_list" || overload === "add_string" || overload === "add_bytes") {
      this.joinEntries(expr, expr.args[0], expr.args[1])
    }
    const { cost, size } = estimateCall(expr.name, overload, target, left === undefined ? [] : operands)
    return { cost: plus(cost, sumOf(costs)), ...(size === undefined ? {} : { size }) }
  }

  private joinEntries(expr: Expr, left: Expr | undefined, right: Expr | undefined): void {
    const one = left && this.entries(left)
    const other = right && this.entries(right)
    if (one === undefined || other === undefined) return
    this.entrySizes.set(expr, {
      kind: one.kind,
      key: union(one.key, other.key),
      value: union(one.value, other.value)
    })
  }

  private operand(expr: Expr): Operand {
    const path = this.path(expr)
    // An accumulator is not part of the object.
    const known = path[0] === ACCUMULATOR ? [] : path
    const size = this.size(expr)
    return {
      type: expr.type ?? DYN,
      literal: expr.kind === "literal" ? expr.value : undefined,
      size: () => size ?? UNKNOWN,
      sizeByPath: () => size ?? this.pathSize(known) ?? UNKNOWN,
      itemSizeByPath: () => (known.length === 0 ? undefined : this.pathSize([...known, "@items"])) ?? UNKNOWN
    }
  }

  private copySizes(to: Expr, from: Expr): void {
    const size = this.size(from)
    if (size !== undefined) this.sizes.set(to, size)
    const entries = this.entries(from)
    if (entries !== undefined) this.entrySizes.set(to, entries)
  }

  private sizeOrUnknown(expr: Expr): Range {
    return this.size(expr) ?? UNKNOWN
  }

  private size(expr: Expr): Range | undefined {
    const known = this.sizes.get(expr) ?? literalSize(expr)
    if (known !== undefined) return known
    const found = this.pathSize(this.path(expr))
    if (found !== undefined) {
      this.sizes.set(expr, found)
      return found
    }
    if (isScalar(expr.type ?? DYN)) return ONE
    return expr.kind === "ident" ? this.locals.get(expr.name)?.size : undefined
  }

  private entries(expr: Expr): EntrySizes | undefined {
    return this.entrySizes.get(expr) ?? (expr.kind === "ident" ? this.locals.get(expr.name)?.entries : undefined)
  }

  private path(expr: Expr): Path {
    const local = expr.kind === "ident" ? this.locals.get(expr.name) : undefined
    return local?.path ?? this.paths.get(expr) ?? []
  }

  /** Returns the size at a path by the schema; the path's first step is the variable. */
  private pathSize(path: Path): Range | undefined {
    if (path.length === 0 || (this.variable !== undefined && path[0] !== this.variable)) return undefined
    let type: CelType | undefined = this.root
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") type = type.params.at(-1)
      else if (step === "@keys") type = type.kind === "map" ? type.params[0] : undefined
      else type = type.fields?.get(step) ?? limitedValues(type)
      if (type === undefined) return undefined
    }
    return { min: 0, max: type.maxElements }
  }
}

/** Returns the type of a map's values if they are of any type but not of any size: the attributes of devices. */
const limitedValues = ({ kind, params: [, values] }: CelType): CelType | undefined =>
  kind === "map" && values?.kind === "dyn" && values.maxElements > 0 ? values : undefined
