/**
 * A CEL type, with the schema's limits of its values' size. Upstream: cel-go/common/types; apiserver/pkg/cel, DeclType.
 */
export interface CelType {
  readonly kind: CelKind
  readonly name: string
  /** The type of a list's items, of a map's keys and values, or of an optional's value. */
  readonly params: ReadonlyArray<CelType>
  /** The fields of an object. */
  readonly fields?: ReadonlyMap<string, CelType>
  /** Whether no declaration says what fields an object has: it has functions only. */
  readonly isUndeclared?: true
  /** The maximum number of characters, items or entries of a value; 0 where a value has none. */
  readonly maxElements: number
  /** The minimum size in bytes of JSON. */
  readonly minSize: number
}

export type CelKind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null_type"
  | "object"
  | "opaque"
  | "optional_type"
  | "param"
  | "string"
  | "timestamp"
  | "type"
  | "uint"
  | "wrapper"

const simple = (kind: CelKind, minSize: number, name: string = kind): CelType => ({
  kind,
  name,
  params: [],
  maxElements: 0,
  minSize
})

export const BOOL = simple("bool", 4)
export const BYTES = simple("bytes", 2)
export const DOUBLE = simple("double", 1)
export const DURATION = simple("duration", 3, "google.protobuf.Duration")
export const DYN = simple("dyn", 1)
/** A dynamic type with a name of its own: that of values which only their users know. */
export const ANY: CelType = { ...DYN, name: "google.protobuf.Any" }
/** The type of an expression with an error, which suits everything: one mistake is reported once. */
export const ERROR = simple("error", 0, "!error!")
export const INT = simple("int", 1)
export const NULL = simple("null_type", 4)
export const STRING = simple("string", 2)
export const TIMESTAMP = simple("timestamp", 12, "google.protobuf.Timestamp")
export const UINT = simple("uint", 1)

/** Returns a type with limits of its values' size. */
export const sized = (type: CelType, maxElements: number, minSize: number): CelType => ({
  ...type,
  maxElements,
  minSize
})
export const listOf = (items: CelType, maxElements = 0): CelType => compound("list", [items], maxElements)
export const mapOf = (keys: CelType, values: CelType, maxElements = 0): CelType =>
  compound("map", [keys, values], maxElements)
export const optionalOf = (inner: CelType): CelType => compound("optional_type", [inner], 0)
export const typeOf = (inner: CelType): CelType => compound("type", [inner], 0)
/** Returns the type of values of a type, or null: that of the wrapper messages of protobuf. */
export const wrapperOf = (inner: CelType): CelType => compound("wrapper", [inner], 0)
/** Returns the type within that of a wrapper message; any other type itself. */
export const unwrapped = (type: CelType): CelType => (type.kind === "wrapper" ? (type.params[0] ?? DYN) : type)
/** Returns a type parameter, as in `size(list(A))`. */
export const param = (name: string): CelType => simple("param", 0, name)

const compound = (kind: CelKind, params: ReadonlyArray<CelType>, maxElements: number): CelType => ({
  kind,
  name: kind,
  params,
  maxElements,
  minSize: 2
})

/** Returns the type of objects with these fields, under a name that messages show. */
export const objectOf = (fields: ReadonlyMap<string, CelType>, minSize: number, name = "object"): CelType => ({
  kind: "object",
  name,
  params: [],
  fields,
  maxElements: 0,
  minSize
})

/** Returns the type of messages of a name that may have any fields, of any type. */
export const anyFields = (name: string): CelType => simple("object", 2, name)

/** An object type that has functions only. */
export const undeclared = (name: string): CelType => ({ ...simple("object", 0, name), isUndeclared: true })

/** A type without fields. */
export const opaque = (name: string): CelType => simple("opaque", 0, name)

/** Returns a type as Go's `Type.String` does: `map(string, null_type)`. */
export const formatType = ({ kind, name, params }: CelType): string => {
  if (kind === "param") return "dyn"
  return params.length === 0 ? name : `${name}(${params.map(formatType).join(", ")})`
}

/** The names of types in the errors of the checker, where they differ. Upstream: cel-go/checker/format.go. */
const shownNames: Readonly<Partial<Record<CelKind, string>>> = {
  duration: "duration",
  null_type: "null",
  param: "dyn",
  timestamp: "timestamp"
}

/** Returns a type as the errors of the checker print it: `map(string, null)`. */
export const shownType = ({ kind, name, params }: CelType): string =>
  params.length === 0
    ? (shownNames[kind] ?? (name === ANY.name ? "any" : name))
    : `${name}(${params.map(shownType).join(", ")})`

/** Whether two types are the same. */
export const sameType = (left: CelType, right: CelType): boolean =>
  left === right ||
  (left.kind === right.kind &&
    left.name === right.name &&
    left.params.length === right.params.length &&
    left.params.every((each, at) => sameType(each, right.params[at] ?? DYN)))

/** Returns the more general of two types that suit each other. */
export const mostGeneral = (left: CelType, right: CelType): CelType => (isLessSpecific(left, right) ? left : right)

const isLessSpecific = (left: CelType, right: CelType): boolean => {
  if (left.kind === "dyn" || left.kind === "param") return true
  if (right.kind === "dyn" || right.kind === "param" || left.kind !== right.kind) return false
  if (left.kind === "type") return true
  if (left.name !== right.name || left.params.length !== right.params.length) return false
  return left.params.every((each, at) => isLessSpecific(each, right.params[at] ?? DYN))
}

const isWildcard = ({ kind }: CelType): boolean => kind === "dyn" || kind === "error"

/** The values of type parameters, as far as known; the assumptions of a failed attempt are undone. */
export class Substitution {
  private readonly known = new Map<string, CelType>()
  /** The parameters with a new value, each with its earlier one. */
  private readonly trail: Array<readonly [string, CelType | undefined]> = []
  private parameters = 0

  /** Returns a new, unknown type parameter. */
  fresh(): CelType {
    return param(`%${this.parameters++}`)
  }

  /** Returns the type itself, or the value of a parameter. */
  shallow(type: CelType): CelType {
    let found = type
    while (found.kind === "param") {
      const next = this.known.get(found.name)
      if (next === undefined) return found
      found = next
    }
    return found
  }

  /** Returns the type with all known parameters replaced; unknown ones become dynamic. */
  resolve(type: CelType): CelType {
    return this.replaced(type, DYN)
  }

  /** Returns the type with all known parameters replaced. */
  partlyResolved(type: CelType): CelType {
    return this.replaced(type, undefined)
  }

  private replaced(type: CelType, unknown: CelType | undefined): CelType {
    const found = this.shallow(type)
    if (found.kind === "param") return unknown ?? found
    if (found.params.length === 0) return found
    const params = found.params.map((each) => this.replaced(each, unknown))
    return params.every((each, at) => each === found.params[at]) ? found : { ...found, params }
  }

  /** Whether values of types are assignable to others, one by one. Upstream: cel-go/checker/types.go. */
  assignAll(found: ReadonlyArray<CelType>, wanted: ReadonlyArray<CelType>): boolean {
    const mark = this.trail.length
    if (this.allFit(found, wanted)) return true
    for (let last = this.trail.length; last > mark; last--) {
      const [name, before] = this.trail.pop() ?? [""]
      if (before === undefined) this.known.delete(name)
      else this.known.set(name, before)
    }
    return false
  }

  assign(found: CelType, wanted: CelType): boolean {
    return this.assignAll([found], [wanted])
  }

  private allFit(found: ReadonlyArray<CelType>, wanted: ReadonlyArray<CelType>): boolean {
    return found.length === wanted.length && found.every((each, at) => this.fits(each, wanted[at] ?? DYN))
  }

  private fits(found: CelType, wanted: CelType): boolean {
    if (found === wanted) return true
    if (wanted.kind === "param") {
      if (this.fitsParameter(found, wanted.name)) return true
      if (this.known.has(wanted.name)) return false
    }
    if (found.kind === "param") return this.fitsParameter(wanted, found.name)
    if (isWildcard(found) || isWildcard(wanted)) return true
    if (found.kind === "wrapper") return this.fitsWrapper(found, wanted)
    if (wanted.kind === "wrapper") return this.fitsWrapper(wanted, found)
    if (found.kind === "null_type") return nullable.has(wanted.kind)
    if (wanted.kind === "null_type") return nullable.has(found.kind)
    if (found.kind !== wanted.kind) return false
    // Type values are compared during evaluation.
    if (found.kind === "type") return true
    if (found.kind === "object") return found.fields === wanted.fields && found.name === wanted.name
    return found.name === wanted.name && this.allFit(found.params, wanted.params)
  }

  /** Whether a type suits a wrapper: null does, the wrapped type, and another wrapper of it. */
  private fitsWrapper(wrapper: CelType, other: CelType): boolean {
    return other.kind === "null_type" || this.fits(unwrapped(wrapper), unwrapped(other))
  }

  /** Whether a type suits a parameter, whose value becomes the more general one. */
  private fitsParameter(type: CelType, name: string): boolean {
    if (type.kind === "param" && type.name === name) return true
    const known = this.known.get(name)
    if (known === undefined) return !this.occurs(name, type) && this.set(name, type)
    if (sameType(type, known)) return true
    if (!this.fits(type, known)) return false
    const general = mostGeneral(type, known)
    return general === known || this.occurs(name, general) || this.set(name, general)
  }

  private set(name: string, type: CelType): true {
    this.trail.push([name, this.known.get(name)])
    this.known.set(name, type)
    return true
  }

  private occurs(name: string, type: CelType): boolean {
    const found = this.shallow(type)
    return found.kind === "param" ? found.name === name : found.params.some((each) => this.occurs(name, each))
  }
}

const nullable: ReadonlySet<CelKind> = new Set([
  "duration",
  "null_type",
  "object",
  "opaque",
  "optional_type",
  "timestamp"
])

const scalars: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"])

/** Whether all values of a type have the size 1; also optional ones of such a type. */
export const isScalar = ({ kind, params }: CelType): boolean =>
  scalars.has(kind) || (kind === "optional_type" && params[0] !== undefined && isScalar(params[0]))
