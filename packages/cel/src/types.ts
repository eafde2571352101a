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

/** A type without fields that is not nullable. */
export const opaque = (name: string): CelType => simple("opaque", 0, name)

/** Returns a type as messages print it: `map(string, list(int))`. */
export const formatType = ({ kind, name, params }: CelType): string => {
  if (kind === "param") return "dyn"
  return params.length === 0 ? name : `${name}(${params.map(formatType).join(", ")})`
}

/** The values of type parameters, as far as known; the assumptions of a failed attempt can be undone. */
export class Substitution {
  private readonly known = new Map<string, CelType>()
  private readonly trail: Array<string> = []
  private parameters = 0

  /** Returns a new, unknown type parameter. */
  fresh(): CelType {
    return param(`%${this.parameters++}`)
  }

  /** Returns a mark for `undo`. */
  mark(): number {
    return this.trail.length
  }

  /** Forgets what was assumed since the mark. */
  undo(mark: number): void {
    while (this.trail.length > mark) this.known.delete(this.trail.pop() ?? "")
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
    const found = this.shallow(type)
    if (found.kind === "param") return DYN
    if (found.params.length === 0) return found
    const params = found.params.map((each) => this.resolve(each))
    return params.every((each, at) => each === found.params[at]) ? found : { ...found, params }
  }

  /** Whether a value of one type is assignable to another. Upstream: cel-go/checker/types.go, internalIsAssignable. */
  assign(found: CelType, wanted: CelType): boolean {
    const from = this.shallow(found)
    const to = this.shallow(wanted)
    if (from === to) return true
    if (to.kind === "param") return this.bind(to, from)
    if (from.kind === "param") return this.bind(from, to)
    if (from.kind === "dyn" || to.kind === "dyn") return true
    if (from.kind === "null_type") return nullable.has(to.kind)
    if (to.kind === "null_type") return nullable.has(from.kind)
    if (from.kind !== to.kind) return false
    // Type values are compared during evaluation.
    if (from.kind === "type") return true
    if (from.kind === "object") return from.fields === to.fields && from.name === to.name
    if (from.kind === "opaque") return from.name === to.name
    return from.params.every((each, at) => this.assign(each, to.params[at] ?? DYN))
  }

  private bind({ name }: CelType, type: CelType): boolean {
    if (this.occurs(name, type)) return false
    this.known.set(name, type)
    this.trail.push(name)
    return true
  }

  private occurs(name: string, type: CelType): boolean {
    const found = this.shallow(type)
    return found.kind === "param" ? found.name === name : found.params.some((each) => this.occurs(name, each))
  }
}

const nullable: ReadonlySet<CelKind> = new Set(["duration", "null_type", "object", "optional_type", "timestamp"])

const scalars: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"])

/** Whether all values of a type have the size 1; also optional ones of such a type. */
export const isScalar = ({ kind, params }: CelType): boolean =>
  scalars.has(kind) || (kind === "optional_type" && params[0] !== undefined && isScalar(params[0]))
