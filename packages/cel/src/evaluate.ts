import { ACCUMULATOR, type Expr, type Fold, type Message } from "./ast.ts"
import { costNamed } from "./callCosts.ts"
import { constantValue, foldedConversion, isAttribute, isConstant, isConstantList, typeNameOf } from "./constants.ts"
import { contains } from "./equality.ts"
import { LIST_COST, MAP_COST, MESSAGE_COST } from "./estimateSizes.ts"
import type { Meter } from "./Meter.ts"
import {
  constantStep,
  eachIteration,
  hasField,
  invokerOf,
  noOverload,
  type Step,
  selectField,
  variableStep,
  withCost
} from "./steps.ts"
import {
  CelError,
  EntryMap,
  ItemList,
  type Key,
  keyOf,
  MessageValue,
  Optional,
  TypeValue,
  type Value
} from "./values.ts"

/** An expression compiled for repeated evaluation. */
export type Program = (variables: Readonly<Record<string, Value>>, meter: Meter) => Value

/**
 * Compiles a checked expression. Costs are counted exactly as in cel-go, and before the work is done. Throws
 * `CostExceeded`; other failures are values. Upstream: cel-go/interpreter/{planner,interpretable,runtimecost}.go.
 */
export const plan = (expr: Expr): Program => {
  const step = new Planner().step(expr)
  return (variables, meter) => step({ variables, slots: [], meter })
}

class Planner {
  /** The names that enclosing macros bind; the index of a name is its slot. */
  private readonly scope: Array<string> = []

  step(expr: Expr): Step {
    if (typeNameOf(expr) === undefined && isAttribute(expr)) return withCost(this.withoutOwnCost(expr))
    switch (expr.kind) {
      case "literal":
        return constantStep(expr.value)
      case "ident":
        return constantStep(new TypeValue(typeNameOf(expr) ?? ""))
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return this.list(expr)
      case "map":
        return this.map(expr)
      case "message":
        return this.message(expr)
      case "fold":
        return this.fold(expr)
      case "bind":
        return this.bind(expr)
    }
  }

  private message({ fields, name }: Message): Step {
    const steps = fields.map((field) => ({ name: field.name, optional: field.optional, step: this.step(field.value) }))
    return (frame) => {
      const entries = new Map<Key, Value>()
      for (const field of steps) {
        const given = field.step(frame)
        if (given instanceof CelError) return given
        const value = field.optional && given instanceof Optional ? given.value : given
        if (value !== undefined) entries.set(field.name, value)
      }
      frame.meter.spend(entries.size)
      frame.meter.charge(MESSAGE_COST)
      return new MessageValue(name, entries)
    }
  }

  /**
   * An attribute, a variable with its selections, costs 1 for each selection and 1 for itself. The 1 for itself is not
   * counted in the branch of a condition or in an index, since cel-go does not observe it there.
   */
  private withoutOwnCost(expr: Expr): Step {
    if (!isAttribute(expr)) return this.step(expr)
    if (expr.variable !== undefined) return variableStep(expr.variable)
    if (expr.kind === "select") return this.select(expr)
    return expr.kind === "call" ? this.index(expr) : this.ident(expr)
  }

  private ident(expr: Expr): Step {
    if (expr.kind !== "ident") return constantStep(null)
    const { name } = expr
    const slot = this.scope.lastIndexOf(name)
    if (slot >= 0) return ({ slots }) => slots[slot] ?? null
    return variableStep(name)
  }

  private select(expr: Expr & { readonly kind: "select" }): Step {
    const type = typeNameOf(expr)
    if (type !== undefined) return constantStep(new TypeValue(type))
    const { field, operand, testOnly } = expr
    if (testOnly) {
      const from = this.step(operand)
      return (frame) => {
        const value = from(frame)
        return value instanceof CelError ? value : hasField(value, field)
      }
    }
    const attribute = isAttribute(operand)
    const from = attribute ? this.withoutOwnCost(operand) : this.step(operand)
    // A selection from a call's result counts as a separate attribute.
    const cost = attribute ? 1 : 2
    return (frame) => {
      const value = from(frame)
      if (value instanceof CelError) return value
      frame.meter.charge(cost)
      return selectField(value, field)
    }
  }

  private index({ args }: Expr & { readonly kind: "call" }): Step {
    const [from, index] = args.map((arg) => this.withoutOwnCost(arg))
    const select = invokerOf("_[_]")
    return (frame) => {
      const value = from?.(frame) ?? null
      const at = index?.(frame) ?? null
      if (value instanceof CelError) return value
      frame.meter.charge(1)
      if (at instanceof CelError) return at
      return select([value, at], frame.meter)
    }
  }

  private call(expr: Expr & { readonly kind: "call" }): Step {
    const { args, name } = expr
    const [left, right, third] = args
    if (left !== undefined && right !== undefined) {
      if (name === "_&&_") return this.logical(left, right, false)
      if (name === "_||_") return this.logical(left, right, true)
      if (name === "_?_:_" && third !== undefined) return this.conditional(left, right, third)
      if (name === "@in" && isConstantList(right)) return this.memberOfConstants(left, right)
    }
    if (name === "or" || name === "orValue") return this.orElse(expr)
    const folded = foldedConversion(expr)
    if (folded !== undefined) return constantStep(folded)
    return this.invoke(expr)
  }

  /** Plans `&&` and `||`: a side that decides is the result, even if the other side fails. */
  private logical(left: Expr, right: Expr, decisive: boolean): Step {
    const one = this.step(left)
    const other = this.step(right)
    const name = decisive ? "_||_" : "_&&_"
    return (frame) => {
      const first = one(frame)
      if (first === decisive) return decisive
      const second = other(frame)
      if (second === decisive) return decisive
      if (first instanceof CelError) return first
      if (typeof first === "boolean" && typeof second === "boolean") return second
      return second instanceof CelError ? second : noOverload(name)
    }
  }

  private conditional(condition: Expr, ifTrue: Expr, ifFalse: Expr): Step {
    const decide = this.step(condition)
    const one = this.withoutOwnCost(ifTrue)
    const other = this.withoutOwnCost(ifFalse)
    return (frame) => {
      const answer = decide(frame)
      if (answer === true) return one(frame)
      if (answer === false) return other(frame)
      return answer instanceof CelError ? answer : noOverload("_?_:_")
    }
  }

  /**
   * Plans `or` and `orValue` of an optional value: the alternative is evaluated only when there is no value, and they
   * cost nothing themselves.
   */
  private orElse({ args: [argument], name, target }: Expr & { readonly kind: "call" }): Step {
    const optional = target === undefined ? constantStep(null) : this.step(target)
    const other = argument === undefined ? constantStep(null) : this.step(argument)
    return (frame) => {
      const value = optional(frame)
      if (value instanceof CelError) return value
      if (!(value instanceof Optional)) return noOverload(name)
      if (value.value === undefined) return other(frame)
      return name === "or" ? value : value.value
    }
  }

  /** Plans membership in a list of literals, which costs nothing: cel-go makes a set of it. */
  private memberOfConstants(value: Expr, list: Expr): Step {
    const wanted = this.step(value)
    const items = this.step(list)
    return (frame) => {
      const found = wanted(frame)
      if (found instanceof CelError) return found
      return contains(items(frame), found, frame.meter) ?? noOverload("@in")
    }
  }

  private invoke({ args, name, target }: Expr & { readonly kind: "call" }): Step {
    const steps = (target === undefined ? args : [target, ...args]).map((arg) => this.step(arg))
    if (name === "@not_strictly_false") return this.notStrictlyFalse(steps)
    const cost = costNamed(name)
    const invoke = invokerOf(name)
    // An index into a call's result counts as a separate attribute.
    const extraCost = name === "_[_]" ? 1 : 0
    const optional = name === "_?._" || name === "_[?_]"
    return (frame) => {
      const { meter } = frame
      const values: Array<Value> = []
      let failure: CelError | undefined
      for (const step of steps) {
        const value = step(frame)
        if (value instanceof CelError) failure ??= value
        values.push(value)
      }
      meter.charge(cost(values, meter) + extraCost)
      if (failure !== undefined) return failure
      const made = invoke(values, meter)
      // cel-go does not observe an optional selection without a result.
      if (optional && made instanceof Optional && made.value === undefined) meter.charge(-1)
      return made
    }
  }

  private notStrictlyFalse([step]: ReadonlyArray<Step>): Step {
    return (frame) => {
      const value = step === undefined ? true : step(frame)
      frame.meter.charge(1)
      return value !== false
    }
  }

  private list(expr: Expr & { readonly kind: "list" }): Step {
    if (isConstantList(expr)) return constantStep(constantValue(expr))
    const steps = expr.items.map((item) => this.step(item))
    return (frame) => {
      const items: Array<Value> = []
      for (const step of steps) {
        const value = step(frame)
        if (value instanceof CelError) return value
        items.push(value)
      }
      frame.meter.charge(LIST_COST)
      return new ItemList(items)
    }
  }

  private map(expr: Expr & { readonly kind: "map" }): Step {
    const constants = expr.entries.length > 0 && expr.entries.every((entry) => entry.every(isConstant))
    const steps = expr.entries.map(([key, value]) => [this.step(key), this.step(value)] as const)
    return (frame) => {
      const entries = new Map<Key, Value>()
      for (const [keyStep, valueStep] of steps) {
        const keyValue = keyStep(frame)
        if (keyValue instanceof CelError) return keyValue
        const value = valueStep(frame)
        if (value instanceof CelError) return value
        const key = keyOf(keyValue)
        if (key === undefined) return new CelError("unsupported key type")
        if (entries.has(key)) return new CelError(`Failed with repeated key: ${String(key)}`)
        entries.set(key, value)
      }
      frame.meter.spend(entries.size)
      if (!constants) frame.meter.charge(MAP_COST)
      return new EntryMap(entries)
    }
  }

  /** Plans a body in which names are bound; passes it their slots. */
  private within<A>(names: ReadonlyArray<string>, body: (slots: ReadonlyArray<number>) => A): A {
    const from = this.scope.length
    this.scope.push(...names)
    const made = body(names.map((_, index) => from + index))
    this.scope.length = from
    return made
  }

  private bind(expr: Expr & { readonly kind: "bind" }): Step {
    const init = this.step(expr.init)
    return this.within([expr.name], ([slot = 0]) => {
      const result = this.step(expr.result)
      return (frame) => {
        const value = init(frame)
        if (value instanceof CelError) return value
        frame.slots[slot] = value
        return result(frame)
      }
    })
  }

  private fold(expr: Fold): Step {
    const range = this.step(expr.range)
    const init = this.accumulatorInit(expr.init)
    const second = expr.second ?? "@unused"
    return this.within([ACCUMULATOR, expr.first, second], ([accumulator = 0, first = 0, other = 0]) => {
      const condition = this.step(expr.condition)
      const step = this.accumulatorStep(expr.step, accumulator)
      const result = this.step(expr.result)
      return (frame) => {
        const { meter, slots } = frame
        const items = range(frame)
        if (items instanceof CelError) return items
        slots[accumulator] = init(frame)
        const visit = (one: Value, two: Value): boolean => {
          meter.spend(1)
          if (condition(frame) === false) return false
          slots[first] = one
          slots[other] = two
          slots[accumulator] = step(frame)
          return true
        }
        if (!eachIteration(items, expr.second !== undefined, visit)) return noOverload("comprehension")
        return result(frame)
      }
    })
  }

  /** Plans the initial value of a comprehension: a list or map of its own, to which it appends in place. */
  private accumulatorInit(init: Expr): Step {
    if (init.kind === "list") return () => new ItemList([])
    if (init.kind === "map") return () => new EntryMap(new Map())
    return this.step(init)
  }

  /**
   * Plans the step of a comprehension: `accumulator + [item]` appends in place, because copying for each item would
   * take quadratic time. The costs are those of the addition.
   */
  private accumulatorStep(step: Expr, slot: number): Step {
    if (step.kind !== "call") return this.step(step)
    const [left, right, third] = step.args
    if (step.name === "_?_:_" && left !== undefined && right !== undefined && third !== undefined) {
      const condition = this.step(left)
      const [one, other] = [this.accumulatorStep(right, slot), this.withoutOwnCost(third)]
      return (frame) => {
        const answer = condition(frame)
        if (answer === true) return one(frame)
        if (answer === false) return other(frame)
        return answer instanceof CelError ? answer : noOverload("_?_:_")
      }
    }
    const item = right?.kind === "list" ? right.items[0] : undefined
    const appends = step.name === "_+_" && left?.kind === "ident" && left.name === ACCUMULATOR
    if (!appends || item === undefined || right?.kind !== "list" || right.items.length !== 1) return this.step(step)
    const value = this.step(item)
    // Two for the addition and the accumulator; a list of one literal is made once.
    const cost = 2 + (isConstant(item) ? 0 : LIST_COST)
    return (frame) => {
      const accumulator = frame.slots[slot] ?? null
      if (!(accumulator instanceof ItemList)) return accumulator
      const next = value(frame)
      if (next instanceof CelError) return next
      frame.meter.charge(cost)
      accumulator.items.push(next)
      return accumulator
    }
  }
}
