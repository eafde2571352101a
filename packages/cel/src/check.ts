import { ACCUMULATOR, type Call, type Expr, type Fold, type Message } from "./ast.ts"
import type { Declarations, MessageTypeOf } from "./declarations.ts"
import { Faults } from "./faults.ts"
import { checkLiterals } from "./literals.ts"
import { chooseOverloads } from "./overloadChoice.ts"
import { overloadsOf } from "./overloads.ts"
import { Scopes } from "./Scopes.ts"
import { fieldNamed } from "./schemaTypes.ts"
import { literalType, qualifiedName, rootName, typeNamed } from "./typeNames.ts"
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  mostGeneral,
  optionalOf,
  Substitution,
  shownType,
  typeOf
} from "./types.ts"
import { fieldFault, wellKnown } from "./wellKnown.ts"

/** The result of checking an expression: its type, or its faults. */
export interface Checked {
  readonly type: CelType
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>
  readonly faults: Faults
}

/**
 * Determines the type of each part of an expression, and stores it there. Upstream: cel-go/checker/checker.go;
 * cel-go/cel/env.go, Check: literals are validated if all types are right.
 */
export const check = (expr: Expr, declarations: Declarations): Checked => {
  const checker = new Checker(declarations)
  const type = checker.expression(expr)
  checker.resolveTypes()
  const { faults } = checker
  if (faults.list.length === 0) checkLiterals(expr, faults)
  return { type: checker.substitution.resolve(type), variables: checker.read, faults }
}

class Checker {
  readonly substitution = new Substitution()
  readonly read = new Set<string>()
  readonly faults = new Faults()
  private readonly checked: Array<Expr> = []
  private readonly scopes = new Scopes<CelType>()
  private readonly variables: Readonly<Record<string, CelType>>
  private readonly messageTypeOf: MessageTypeOf | undefined

  constructor({ messageTypeOf, variables }: Declarations) {
    this.variables = variables
    this.messageTypeOf = messageTypeOf
  }

  /** Resolves types that were recorded while parts of them were unknown. */
  resolveTypes(): void {
    for (const expr of this.checked) expr.type = this.substitution.resolve(expr.type ?? DYN)
  }

  expression(expr: Expr): CelType {
    const type = this.typeOf(expr)
    expr.type = type
    this.checked.push(expr)
    return type
  }

  private typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value)
      case "ident":
        return this.ident(expr)
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return listOf(this.joined(expr.items) ?? this.substitution.fresh())
      case "map": {
        const keys = this.joined(expr.entries.map(([key]) => key))
        const values = this.joined(expr.entries.map(([, value]) => value))
        return mapOf(keys ?? this.substitution.fresh(), values ?? this.substitution.fresh())
      }
      case "message":
        return this.message(expr)
      case "fold":
        return this.fold(expr)
      case "bind": {
        const init = this.expression(expr.init)
        const result = this.scopes.within([[expr.name, init]], () => this.expression(expr.result))
        return this.substitution.partlyResolved(result)
      }
      case "optional":
        return this.unwrapped(expr.value)
    }
  }

  private fault(message: string, at: number): CelType {
    this.faults.add(message, at)
    return ERROR
  }

  private undeclared(name: string, at: number): CelType {
    return this.fault(`undeclared reference to '${name}' (in container '')`, at)
  }

  private mismatch(wanted: CelType, found: CelType, at: number): CelType {
    return this.fault(`expected type '${this.shown(wanted)}' but found '${this.shown(found)}'`, at)
  }

  private shown(type: CelType): string {
    return shownType(this.substitution.resolve(type))
  }

  private message({ at, fields, name }: Message): CelType {
    const known = wellKnown(name)
    const type = known?.type ?? this.messageTypeOf?.(name)
    if (type === undefined) return this.undeclared(name, at)
    const types = known?.fields ?? type.fields
    for (const field of fields) {
      const wanted = types === undefined ? DYN : types.get(field.name)
      const found = this.expression(field.value)
      if (wanted !== undefined && this.substitution.assign(wanted, found)) continue
      const shown = wanted === undefined ? undefined : this.shown(wanted)
      this.fault(fieldFault(field.name, shown, this.shown(found), known !== undefined), field.at)
    }
    return type
  }

  /** Returns the type of the value of an optional item or entry. */
  private unwrapped(expr: Expr): CelType {
    const found = this.substitution.partlyResolved(this.expression(expr))
    if (found.kind === "optional_type") return found.params[0] ?? DYN
    if (found.kind !== "dyn") this.mismatch(optionalOf(found), found, expr.at)
    return found
  }

  private ident(expr: Expr & { readonly kind: "ident" }): CelType {
    const { at, name } = expr
    const local = this.scopes.get(name)
    if (local !== undefined) return local
    if (Object.hasOwn(this.variables, name)) {
      this.read.add(name)
      return this.variables[name] ?? DYN
    }
    const type = this.typeNamed(name)
    return type === undefined ? this.undeclared(expr.isRoot === true ? `.${name}` : name, at) : typeOf(type)
  }

  /** Returns the type that a name stands for, as a value. */
  private typeNamed(name: string): CelType | undefined {
    return typeNamed(name) ?? this.messageTypeOf?.(name)
  }

  private select(expr: Expr & { readonly kind: "select" }): CelType {
    const name = qualifiedName(expr)
    const type = name === undefined ? undefined : this.typeNamed(name)
    if (type !== undefined) return typeOf(type)
    if (name !== undefined && Object.hasOwn(this.variables, name) && this.scopes.get(rootName(name)) === undefined) {
      expr.variable = name
      this.read.add(name)
      return this.variables[name] ?? DYN
    }
    const found = this.selection(expr.operand, expr.field, expr.at, false)
    return expr.testOnly ? BOOL : found
  }

  /** Returns the type of a selection, which is optional if the operand is or if it is written so. */
  private selection(operand: Expr, field: string, at: number, optional: boolean): CelType {
    const type = this.substitution.partlyResolved(this.expression(operand))
    const isOptional = type.kind === "optional_type"
    const found = this.field(isOptional ? (type.params[0] ?? DYN) : type, field, at)
    return isOptional || optional ? optionalOf(found) : found
  }

  private field(type: CelType, field: string, at: number): CelType {
    switch (type.kind) {
      case "map":
        return type.params[1] ?? DYN
      case "object":
        if (type.isUndeclared === true) return this.fault(`unexpected failed resolution of '${type.name}'`, at)
        if (type.fields === undefined) return DYN
        return fieldNamed(type.fields, field) ?? this.fault(`undefined field '${field}'`, at)
      case "param":
        this.substitution.assign(DYN, type)
        return DYN
      case "dyn":
      case "error":
        return DYN
    }
    this.fault(`type '${this.shown(type)}' does not support field selection`, at)
    return DYN
  }

  /** Returns the common type of items; dynamic if there is none. Literals are homogeneous where `checkLiterals` asks it. */
  private joined(items: ReadonlyArray<Expr>): CelType | undefined {
    let type: CelType | undefined
    for (const item of items) {
      const found = this.expression(item)
      if (type === undefined) type = found
      else type = this.substitution.assign(type, found) ? mostGeneral(type, found) : DYN
    }
    return type
  }

  private call(expr: Call): CelType {
    if (expr.name === "_?._") return this.optionalSelect(expr)
    const types = expr.args.map((arg) => this.expression(arg))
    if (expr.target !== undefined) {
      const prefix = qualifiedName(expr.target)
      const qualified = `${prefix}.${expr.name}`
      if (prefix !== undefined && this.isFunction(qualified)) {
        expr.name = qualified
        expr.target = undefined
      } else types.unshift(this.expression(expr.target))
    }
    // A function's name may have a dot before it, which says that it is not relative to a container.
    if (expr.name.startsWith(".") && this.isFunction(expr.name.slice(1))) expr.name = expr.name.slice(1)
    if (!this.isFunction(expr.name)) return this.undeclared(expr.name, expr.at)
    if (expr.name === "_&&_" || expr.name === "_||_") return this.logical(expr, types)
    const choice = chooseOverloads(expr.name, expr.target !== undefined, types, this.substitution)
    if (choice === undefined) {
      const [first = "", ...rest] = types.map((type) => this.shown(type))
      const applied = expr.target === undefined ? `(${[first, ...rest].join(", ")})` : `${first}.(${rest.join(", ")})`
      return this.fault(`found no matching overload for '${expr.name}' applied to '${applied}'`, expr.at)
    }
    expr.overloads = choice.ids
    return choice.result
  }

  private isFunction(name: string): boolean {
    if (name.startsWith("jsonpatch.") && this.messageTypeOf === undefined) return false
    return overloadsOf(name).length > 0
  }

  private logical(expr: Call, types: ReadonlyArray<CelType>): CelType {
    expr.overloads = overloadsOf(expr.name).map(({ id }) => id)
    let type = BOOL
    for (const [index, found] of types.entries()) {
      if (!this.substitution.assign(found, BOOL)) type = this.mismatch(BOOL, found, expr.args[index]?.at ?? expr.at)
    }
    return type
  }

  private optionalSelect(expr: Call): CelType {
    const [operand, field] = expr.args
    if (operand === undefined || field?.kind !== "literal") return DYN
    this.expression(field)
    expr.overloads = ["select_optional_field"]
    return this.selection(operand, String(field.value), expr.at, true)
  }

  private fold(expr: Fold): CelType {
    const range = this.substitution.partlyResolved(this.expression(expr.range))
    const accumulator = this.expression(expr.init)
    const variables = this.iterationVariables(expr, range)
    return this.scopes.within([[ACCUMULATOR, accumulator]], () => {
      this.scopes.within(variables, () => {
        this.requireType(expr.condition, BOOL)
        this.requireType(expr.step, accumulator)
      })
      return this.substitution.partlyResolved(this.expression(expr.result))
    })
  }

  private requireType(expr: Expr, wanted: CelType): void {
    const found = this.expression(expr)
    if (!this.substitution.assign(wanted, found)) this.mismatch(wanted, found, expr.at)
  }

  /** Returns the variables of an iteration: the item of a list or the key of a map; or its index or key and its value. */
  private iterationVariables({ first, range, second }: Fold, type: CelType): ReadonlyArray<readonly [string, CelType]> {
    const [left = DYN, right = DYN] = type.params
    const both = (one: CelType, two: CelType) => [
      [first, one] as const,
      ...(second === undefined ? [] : [[second, two] as const])
    ]
    switch (type.kind) {
      case "list":
        return second === undefined ? [[first, left]] : both(INT, left)
      case "map":
        return both(left, right)
      case "param":
        this.substitution.assign(DYN, type)
        return both(DYN, DYN)
      case "dyn":
      case "error":
        return both(DYN, DYN)
    }
    const needed = "cannot be range of a comprehension (must be list, map, or dynamic)"
    this.fault(`expression of type '${this.shown(type)}' ${needed}`, range.at)
    return both(ERROR, ERROR)
  }
}
