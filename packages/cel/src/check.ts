import { ACCUMULATOR, type Expr, type Fold, type Message } from "./ast.ts"
import { invalidLiteral } from "./literals.ts"
import { isMissing, type Overload, overloadsOf } from "./overloads.ts"
import { literalType, qualifiedName, typeNamed } from "./typeNames.ts"
import { BOOL, type CelType, DYN, formatType, INT, listOf, mapOf, optionalOf, Substitution, typeOf } from "./types.ts"

/** Thrown for a type error of an expression; `at` is the position in the text. */
export class TypeFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Thrown when an expression calls a Kubernetes function that is not implemented. */
export class MissingFunction extends Error {
  constructor(name: string) {
    super(`the function ${name} is not supported`)
  }
}

/** The result of checking an expression: its type. */
export interface Checked {
  readonly type: CelType
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>
}

/** Kinds that may be assignable to a different kind. */
const assignableKinds: ReadonlySet<string> = new Set(["dyn", "null_type", "param"])

/** The kinds of keys of a map. */
const keyKinds: ReadonlySet<string> = new Set(["bool", "double", "dyn", "int", "param", "string", "uint"])

/**
 * Determines the type of each part of an expression, and stores it there. Throws `TypeFault`. Upstream:
 * cel-go/checker/checker.go.
 */
export const check = (
  expr: Expr,
  variables: Readonly<Record<string, CelType>>,
  messageTypeOf: MessageTypeOf = noMessages
): Checked => {
  const checker = new Checker(variables, messageTypeOf)
  const type = checker.expression(expr)
  checker.resolveTypes()
  const literal = checker.checked.map(invalidLiteral).find((found) => found !== undefined)
  if (literal !== undefined) throw new TypeFault(literal.message, literal.at)
  return { type: checker.substitution.resolve(type), variables: checker.read }
}

const rootName = (qualified: string): string => qualified.slice(0, qualified.indexOf("."))

/** Returns the type of a message that expressions may make; undefined if there is none of this name. */
export type MessageTypeOf = (name: string) => CelType | undefined

const noMessages: MessageTypeOf = () => undefined

class Checker {
  readonly substitution = new Substitution()
  readonly read = new Set<string>()
  private readonly scopes: Array<readonly [string, CelType]> = []
  private readonly variables: Readonly<Record<string, CelType>>
  readonly checked: Array<Expr> = []

  private readonly messageTypeOf: MessageTypeOf

  constructor(variables: Readonly<Record<string, CelType>>, messageTypeOf: MessageTypeOf) {
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
        return this.ident(expr.name, expr.at)
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return listOf(this.commonType(expr.items))
      case "map": {
        const keys = this.commonType(expr.entries.map(([key]) => key))
        if (!keyKinds.has(this.substitution.shallow(keys).kind)) {
          throw new TypeFault(`unsupported key type '${formatType(this.substitution.resolve(keys))}'`, expr.at)
        }
        return mapOf(keys, this.commonType(expr.entries.map(([, value]) => value)))
      }
      case "message":
        return this.message(expr)
      case "fold":
        return this.fold(expr)
      case "bind": {
        const init = this.expression(expr.init)
        return this.within([[expr.name, init]], () => this.expression(expr.result))
      }
    }
  }

  private message({ at, fields, name }: Message): CelType {
    const type = this.messageTypeOf(name)
    if (type === undefined) throw new TypeFault(`undeclared reference to '${name}' (in container '')`, at)
    for (const field of fields) {
      const wanted = type.fields === undefined ? DYN : type.fields.get(field.name)
      if (wanted === undefined) throw new TypeFault(`undefined field '${field.name}'`, field.value.at)
      const found = this.expression(field.value)
      if (this.substitution.assign(found, field.optional ? optionalOf(wanted) : wanted)) continue
      const shown = [wanted, found].map((each) => formatType(this.substitution.resolve(each)))
      throw new TypeFault(
        `expected type of field '${field.name}' is '${shown[0]}' but provided type is '${shown[1]}'`,
        field.value.at
      )
    }
    return type
  }

  /** Checks a body in which names have these types. */
  private within<A>(names: ReadonlyArray<readonly [string, CelType]>, body: () => A): A {
    const length = this.scopes.length
    this.scopes.push(...names)
    const made = body()
    this.scopes.length = length
    return made
  }

  private local(name: string): CelType | undefined {
    for (let at = this.scopes.length - 1; at >= 0; at--) if (this.scopes[at]?.[0] === name) return this.scopes[at]?.[1]
    return undefined
  }

  private known(name: string): CelType | undefined {
    const local = this.local(name)
    if (local !== undefined) return local
    if (!Object.hasOwn(this.variables, name)) return undefined
    this.read.add(name)
    return this.variables[name]
  }

  private ident(name: string, at: number): CelType {
    const known = this.known(name)
    if (known !== undefined) return known
    const type = typeNamed(name)
    if (type !== undefined) return typeOf(type)
    throw new TypeFault(`undeclared reference to '${name}' (in container '')`, at)
  }

  private select(expr: Expr & { readonly kind: "select" }): CelType {
    const name = qualifiedName(expr)
    const type = name === undefined ? undefined : typeNamed(name)
    if (type !== undefined) return typeOf(type)
    if (name !== undefined && Object.hasOwn(this.variables, name) && this.local(rootName(name)) === undefined) {
      expr.variable = name
      this.read.add(name)
      return this.variables[name] ?? DYN
    }
    const operand = this.substitution.shallow(this.expression(expr.operand))
    const found = this.field(operand, expr.field, expr.at)
    return expr.testOnly ? BOOL : found
  }

  private field(operand: CelType, field: string, at: number): CelType {
    switch (operand.kind) {
      case "map":
        return operand.params[1] ?? DYN
      case "object": {
        const type = operand.fields === undefined ? DYN : operand.fields.get(field)
        if (type === undefined) throw new TypeFault(`undefined field '${field}'`, at)
        return type
      }
      case "optional_type":
        return optionalOf(this.field(this.substitution.shallow(operand.params[0] ?? DYN), field, at))
      case "dyn":
      case "param":
        return DYN
    }
    const shown = formatType(this.substitution.resolve(operand))
    throw new TypeFault(`type '${shown}' does not support field selection`, at)
  }

  /** Returns the common type: literals of lists and maps hold values of one type. */
  private commonType(items: ReadonlyArray<Expr>): CelType {
    let type: CelType | undefined
    for (const item of items) {
      const found = this.expression(item)
      if (type === undefined) type = found
      else if (!this.substitution.assign(found, type)) {
        const [wanted, had] = [type, found].map((each) => formatType(this.substitution.resolve(each)))
        throw new TypeFault(`expected type '${wanted}' but found '${had}'`, item.at)
      }
    }
    return type ?? this.substitution.fresh()
  }

  private call(expr: Expr & { readonly kind: "call" }): CelType {
    if (expr.name === "_?._") return this.optionalSelect(expr)
    const given = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    const candidates = overloadsOf(expr.name).filter(({ member }) => member === (expr.target !== undefined))
    if (candidates.length === 0) {
      if (isMissing(expr.name)) throw new MissingFunction(expr.name)
      throw new TypeFault(`undeclared reference to '${expr.name}' (in container '')`, expr.at)
    }
    const types = given.map((each) => this.expression(each))
    const dynamic = types.some((type) => this.isDynamic(type))
    const matching: Array<readonly [Overload, CelType]> = []
    for (const overload of candidates) {
      const mark = this.substitution.mark()
      const result = this.attempt(overload, types)
      if (result === undefined) {
        this.substitution.undo(mark)
        continue
      }
      matching.push([overload, result])
      // With known types, one overload matches. With dynamic ones, any may.
      if (!dynamic) break
    }
    const [first] = matching
    if (first === undefined) throw this.noOverload(expr, types)
    expr.overloads = matching.map(([{ id }]) => id)
    if (matching.length === 1) return first[1]
    const kinds = new Set(matching.map(([, result]) => this.substitution.shallow(result).kind))
    return kinds.size === 1 && first[1].params.length === 0 ? first[1] : DYN
  }

  private isDynamic(type: CelType): boolean {
    const found = this.substitution.shallow(type)
    return found.kind === "dyn" || found.kind === "param" || found.params.some((each) => this.isDynamic(each))
  }

  private noOverload(expr: Expr & { readonly kind: "call" }, types: ReadonlyArray<CelType>): TypeFault {
    const shown = types.map((type) => formatType(this.substitution.resolve(type)))
    const [target, ...rest] = shown
    const applied = expr.target === undefined ? `(${shown.join(", ")})` : `${target}.(${rest.join(", ")})`
    return new TypeFault(`found no matching overload for '${expr.name}' applied to '${applied}'`, expr.at)
  }

  /** Returns the result type of an overload if it matches. */
  private attempt(overload: Overload, types: ReadonlyArray<CelType>): CelType | undefined {
    if (overload.params.length !== types.length || !this.kindsMatch(overload, types)) return undefined
    const fresh = new Map<string, CelType>()
    const own = (type: CelType): CelType => {
      if (type.kind === "param") {
        const known = fresh.get(type.name) ?? this.substitution.fresh()
        fresh.set(type.name, known)
        return known
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(own) }
    }
    for (const [index, wanted] of overload.params.entries()) {
      if (!this.substitution.assign(types[index] ?? DYN, own(wanted))) return undefined
    }
    return own(overload.result)
  }

  /** Whether the kinds alone match: this excludes most overloads quickly. */
  private kindsMatch({ params }: Overload, types: ReadonlyArray<CelType>): boolean {
    return params.every(({ kind }, index) => {
      const found = this.substitution.shallow(types[index] ?? DYN).kind
      return found === kind || assignableKinds.has(kind) || assignableKinds.has(found)
    })
  }

  private optionalSelect(expr: Expr & { readonly kind: "call" }): CelType {
    const [operand, field] = expr.args
    if (operand === undefined || field?.kind !== "literal") return DYN
    this.expression(field)
    const type = this.substitution.shallow(this.expression(operand))
    const inner = type.kind === "optional_type" ? this.substitution.shallow(type.params[0] ?? DYN) : type
    expr.overloads = ["select_optional_field"]
    return optionalOf(this.field(inner, String(field.value), expr.at))
  }

  private fold(expr: Fold): CelType {
    const range = this.substitution.shallow(this.expression(expr.range))
    const variables = this.iterationVariables(expr, range)
    const accumulator = this.expression(expr.init)
    return this.within([[ACCUMULATOR, accumulator], ...variables], () => {
      this.requireType(expr.condition, BOOL)
      const step = this.expression(expr.step)
      if (!this.substitution.assign(step, accumulator)) {
        throw new TypeFault("the accumulator of a comprehension changes its type", expr.at)
      }
      return this.expression(expr.result)
    })
  }

  private requireType(expr: Expr, wanted: CelType): void {
    if (!this.substitution.assign(this.expression(expr), wanted)) {
      throw new TypeFault(`expected type '${formatType(wanted)}'`, expr.at)
    }
  }

  private iterationVariables(
    { first, range: { at }, second }: Fold,
    range: CelType
  ): ReadonlyArray<readonly [string, CelType]> {
    const [left = DYN, right = DYN] = range.params
    switch (range.kind) {
      case "list":
        return second === undefined
          ? [[first, left]]
          : [
              [first, INT],
              [second, left]
            ]
      case "map":
        return second === undefined
          ? [[first, left]]
          : [
              [first, left],
              [second, right]
            ]
      case "dyn":
      case "param":
        return [[first, DYN], ...(second === undefined ? [] : [[second, DYN] as const])]
    }
    const shown = formatType(this.substitution.resolve(range))
    throw new TypeFault(
      `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      at
    )
  }
}
