import { ACCUMULATOR, type Call, type Expr, type Fold, type Message } from "./ast.ts"
import { costNamed } from "./callCosts.ts"
import { checkPattern, constantValue, isAttribute, isConstantSet, ownsCost } from "./constants.ts"
import { contains } from "./equality.ts"
import { LIST_COST, MAP_COST, MESSAGE_COST } from "./estimateSizes.ts"
import type { Meter } from "./Meter.ts"
import {
  chosen,
  constantStep,
  eachIteration,
  type Frame,
  hasField,
  invokerOf,
  noOverload,
  notIterable,
  type Step,
  selectField,
  variableStep,
  withCost
} from "./steps.ts"
import { CelError, EntryMap, ItemList, type Key, keyOf, MessageValue, Optional, type Value } from "./values.ts"
import { wellKnown } from "./wellKnown.ts"

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
  /** How the values of slots are made when they are first read. */
  private readonly lazy: Array<Step | undefined> = []

  step(expr: Expr): Step {
    const constant = constantValue(expr)
    if (constant !== undefined) return constantStep(constant)
    if (isAttribute(expr)) return ownsCost(expr) ? withCost(this.withoutOwnCost(expr)) : this.withoutOwnCost(expr)
    switch (expr.kind) {
      case "literal":
      case "ident":
        return constantStep(null)
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
      case "optional":
        return this.step(expr.value)
    }
  }

  private message({ fields, name }: Message): Step {
    const make = wellKnown(name)?.make ?? ((entries: Map<Key, Value>) => new MessageValue(name, entries))
    const steps = fields.map((field) => ({ name: field.name, step: this.part(field.value, "optional field") }))
    return (frame) => {
      const entries = new Map<Key, Value>()
      for (const field of steps) {
        const value = field.step(frame)
        if (value instanceof CelError) return value
        if (value !== undefined) entries.set(field.name, value)
      }
      frame.meter.spend(entries.size)
      frame.meter.charge(MESSAGE_COST)
      return make(entries)
    }
  }

  /**
   * An attribute costs 1 for each selection and 1 for itself. The 1 for itself is not counted in the branch of a
   * condition or in an index, since cel-go does not observe it there.
   */
  private withoutOwnCost(expr: Expr): Step {
    if (!isAttribute(expr) || constantValue(expr) !== undefined) return this.step(expr)
    if (expr.variable !== undefined) return variableStep(expr.variable)
    if (expr.kind === "select") return this.select(expr)
    if (expr.kind === "call") return this.index(expr)
    return expr.kind === "ident" ? this.ident(expr) : this.step(expr)
  }

  private ident({ name }: Expr & { readonly kind: "ident" }): Step {
    const slot = this.scope.lastIndexOf(name)
    if (slot < 0) return variableStep(name)
    const init = this.lazy[slot]
    if (init === undefined) return ({ slots }) => slots[slot] ?? null
    return (frame) => {
      // Slots from this one on are those of loops around the reading, which the evaluation must not use.
      frame.slots[slot] ??= init({ ...frame, slots: frame.slots.slice(0, slot) })
      return frame.slots[slot] ?? null
    }
  }

  private select({ field, operand, testOnly }: Expr & { readonly kind: "select" }): Step {
    const from = this.withoutOwnCost(operand)
    const choose = testOnly ? hasField : selectField
    return (frame) => {
      const value = from(frame)
      if (value instanceof CelError) return value
      return chosen(choose(value, field), frame.meter, false)
    }
  }

  /** Plans an index, or an optional selection or index. */
  private index({ args, name }: Call): Step {
    const [from, index] = args.map((arg) => this.withoutOwnCost(arg))
    const choose = invokerOf(name)
    return (frame) => {
      const value = from?.(frame) ?? null
      if (value instanceof CelError) return value
      const at = index?.(frame) ?? null
      return chosen(at instanceof CelError ? at : choose([value, at], frame.meter), frame.meter, name !== "_[_]")
    }
  }

  private call(expr: Call): Step {
    const { args, name } = expr
    const [left, right, third] = args
    if (left !== undefined && right !== undefined) {
      if (name === "_&&_") return this.logical(left, right, false)
      if (name === "_||_") return this.logical(left, right, true)
      if (name === "_?_:_" && third !== undefined) return this.conditional(left, right, third)
      if (name === "@in" && expr.overloads?.length === 1 && isConstantSet(right))
        return this.memberOfConstants(left, right)
    }
    if (name === "or" || name === "orValue") return this.orElse(expr)
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
      return second instanceof CelError ? second : noOverload(name, [])
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
      return answer instanceof CelError ? answer : noOverload("_?_:_", [])
    }
  }

  /**
   * Plans `or` and `orValue` of an optional value: the alternative is evaluated only when there is no value, and they
   * cost nothing themselves.
   */
  private orElse({ args: [argument], name, target }: Call): Step {
    const optional = target === undefined ? constantStep(null) : this.step(target)
    const other = argument === undefined ? constantStep(null) : this.step(argument)
    return (frame) => {
      const value = optional(frame)
      if (!(value instanceof Optional)) return value
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
      return contains(items(frame), found, frame.meter) ?? noOverload("@in", [])
    }
  }

  private invoke({ args, name, overloads, target }: Call): Step {
    const steps = (target === undefined ? args : [target, ...args]).map((arg) => this.step(arg))
    checkPattern(name, target === undefined ? args[1] : args[0])
    if (name === "@not_strictly_false") return this.notStrictlyFalse(steps)
    const overload = overloads?.length === 1 ? overloads[0] : undefined
    // Of more than two arguments, or two of a doubtful overload, those after a failure are not evaluated, and the call
    // costs nothing.
    const isDispatched = overload === undefined && steps.length === 2 && !/^[-!_@]/.test(name)
    const strict = steps.length > 2 || isDispatched ? steps.length - 1 : 0
    const cost = costNamed(name, overload)
    const invoke = invokerOf(name, overload)
    return (frame) => {
      const { meter } = frame
      const values: Array<Value> = []
      let failure: CelError | undefined
      for (const step of steps) {
        const value = step(frame)
        if (value instanceof CelError) {
          if (values.length < strict) return value
          failure ??= value
        }
        values.push(value)
      }
      meter.charge(cost(values, meter, overload))
      return failure ?? invoke(values, meter)
    }
  }

  private notStrictlyFalse([step]: ReadonlyArray<Step>): Step {
    return (frame) => {
      const value = step === undefined ? true : step(frame)
      frame.meter.charge(1)
      return value !== false
    }
  }

  /** Plans a part of a list, map or message; an optional part without a value has none. */
  private part(expr: Expr, what: string): (frame: Frame) => Value | undefined {
    const step = this.step(expr)
    if (expr.kind !== "optional") return step
    return (frame) => {
      const value = step(frame)
      if (value instanceof CelError) return value
      if (value instanceof Optional) return value.value
      return new CelError(`cannot initialize ${what} from non-optional value ${String(value)}`)
    }
  }

  private list(expr: Expr & { readonly kind: "list" }): Step {
    const steps = expr.items.map((item) => this.part(item, "optional list element"))
    return (frame) => {
      const items: Array<Value> = []
      for (const step of steps) {
        const value = step(frame)
        if (value instanceof CelError) {
          frame.meter.charge(LIST_COST)
          return value
        }
        if (value !== undefined) items.push(value)
      }
      frame.meter.charge(LIST_COST)
      return new ItemList(items)
    }
  }

  private map(expr: Expr & { readonly kind: "map" }): Step {
    const steps = expr.entries.map(([key, value]) => [this.step(key), this.part(value, "optional entry")] as const)
    return (frame) => {
      const entries = new Map<Key, Value>()
      frame.meter.charge(MAP_COST)
      for (const [keyStep, valueStep] of steps) {
        const keyValue = keyStep(frame)
        if (keyValue instanceof CelError) return keyValue
        const value = valueStep(frame)
        if (value instanceof CelError) return value
        // Keys that no map of another origin has are found by none.
        const key = keyOf(keyValue) ?? keyValue
        if (value !== undefined) entries.set(key, value)
      }
      frame.meter.spend(entries.size)
      return new EntryMap(entries)
    }
  }

  /** Plans a body in which names are bound; passes it their slots. */
  private within<A>(names: ReadonlyArray<string>, body: (slots: ReadonlyArray<number>) => A, init?: Step): A {
    const from = this.scope.length
    this.scope.push(...names)
    this.lazy[from] = init
    const made = body(names.map((_, index) => from + index))
    this.scope.length = from
    this.lazy.length = from
    return made
  }

  /** Plans a binding, whose value is evaluated when it is first read. */
  private bind(expr: Expr & { readonly kind: "bind" }): Step {
    const body = ([slot = 0]: ReadonlyArray<number>): Step => {
      const result = this.step(expr.result)
      return (frame) => {
        frame.slots[slot] = undefined
        return result(frame)
      }
    }
    return this.within([expr.name], body, this.step(expr.init))
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
        if (!eachIteration(items, expr.second !== undefined, visit)) {
          return notIterable(items, expr.second !== undefined)
        }
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
        return answer instanceof CelError ? answer : noOverload("_?_:_", [])
      }
    }
    const item = right?.kind === "list" ? right.items[0] : undefined
    const appends = step.name === "_+_" && left?.kind === "ident" && left.name === ACCUMULATOR
    if (!appends || item === undefined || right?.kind !== "list" || right.items.length !== 1) return this.step(step)
    const value = this.step(item)
    // Two for the addition and the accumulator; a list of one literal is made once.
    const cost = 2 + (constantValue(item) === undefined ? LIST_COST : 0)
    return (frame) => {
      const accumulator = frame.slots[slot] ?? null
      const next = value(frame)
      frame.meter.charge(cost)
      if (!(accumulator instanceof ItemList)) return accumulator
      if (next instanceof CelError) return next
      accumulator.items.push(next)
      return accumulator
    }
  }
}
