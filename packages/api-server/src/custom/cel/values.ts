/** A value of a type that one of Kubernetes' libraries adds. */
export abstract class Extension {
  /** As `type(x)` has it: `kubernetes.Quantity`. */
  abstract readonly typeName: string
  /** A text that equal values share, and others of the type do not. */
  abstract readonly key: string
  /** For costs. */
  get size(): number {
    return 1
  }
}

/** A value in a rule. Integers are bigints, doubles numbers; lists and maps of an object are read where a rule looks. */
export type Value =
  | bigint
  | boolean
  | number
  | string
  | null
  | Uint8Array
  | CelError
  | CelList
  | CelMap
  | Duration
  | Optional
  | Extension
  | Timestamp
  | TypeValue
  | Uint

/** A failure within an expression, which `&&`, `||`, `all` and `exists` may overlook. */
export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** In nanoseconds. */
export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** In nanoseconds since 1970; as text it keeps the offset that it was given with. */
export class Timestamp {
  readonly nanos: bigint
  readonly offsetMinutes: number
  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos
    this.offsetMinutes = offsetMinutes
  }
}

const MAX_INT64 = 2n ** 63n - 1n
const NANOS_PER_SECOND = 1_000_000_000n
/** The years 1 to 9999, in seconds since 1970. */
const FIRST_SECOND = -62_135_596_800n
const LAST_SECOND = 253_402_300_799n

export const durationOf = (nanos: bigint): Duration | CelError =>
  nanos > MAX_INT64 || nanos < -MAX_INT64 - 1n ? new CelError("integer overflow") : new Duration(nanos)

export const timestampOf = (nanos: bigint): Timestamp | CelError =>
  nanos < FIRST_SECOND * NANOS_PER_SECOND || nanos >= (LAST_SECOND + 1n) * NANOS_PER_SECOND
    ? new CelError("timestamp overflow")
    : new Timestamp(nanos)

export class TypeValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export class Optional {
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

export interface ListKeys {
  readonly kind: "map" | "set"
  /** The fields that tell items of a list of type map apart. */
  readonly keys: ReadonlyArray<string>
}

/** A list. Of type set or map, the order of its items does not matter and adding replaces. */
export abstract class CelList {
  abstract readonly size: number
  readonly keyed: ListKeys | undefined
  abstract at(index: number): Value

  constructor(keyed?: ListKeys) {
    this.keyed = keyed
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index)
  }

  /** Visits the items in order until a visit says false. */
  each(visit: (item: Value, index: number) => boolean): void {
    for (let index = 0; index < this.size; index++) if (!visit(this.at(index), index)) return
  }
}

/** Items that are at hand; what a comprehension gathers is appended in place. */
export class ItemList extends CelList {
  readonly items: Array<Value>
  constructor(items: Array<Value>, keyed?: ListKeys) {
    super(keyed)
    this.items = items
  }
  get size(): number {
    return this.items.length
  }
  at(index: number): Value {
    return this.items[index] ?? null
  }
}

/** Two lists in a row, made in no time and without memory: what is added to itself again and again doubles in size only. */
export class JoinedList extends CelList {
  readonly size: number
  private readonly left: CelList
  private readonly right: CelList
  constructor(left: CelList, right: CelList) {
    super()
    this.left = left
    this.right = right
    this.size = left.size + right.size
  }
  at(index: number): Value {
    let within: CelList = this
    let place = index
    while (within instanceof JoinedList) {
      if (place < within.left.size) within = within.left
      else {
        place -= within.left.size
        within = within.right
      }
    }
    return within.at(place)
  }

  override *[Symbol.iterator](): Iterator<Value> {
    for (const part of this.parts()) yield* part
  }

  override each(visit: (item: Value, index: number) => boolean): void {
    let index = 0
    let goesOn = true
    for (const part of this.parts()) {
      part.each((item) => {
        goesOn = visit(item, index++)
        return goesOn
      })
      if (!goesOn) return
    }
  }

  /** The lists that are no joined ones, from left to right. */
  private *parts(): Iterable<CelList> {
    const left: Array<CelList> = [this]
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (part instanceof JoinedList) left.push(part.right, part.left)
      else yield part
    }
  }
}

export type Key = bigint | boolean | string

/** A map, or an object whose fields a schema names. */
export abstract class CelMap {
  abstract readonly size: number
  abstract get(key: Key): Value | undefined
  abstract keys(): Iterable<Key>
}

export class EntryMap extends CelMap {
  readonly entries: Map<Key, Value>
  constructor(entries: Map<Key, Value>) {
    super()
    this.entries = entries
  }
  get size(): number {
    return this.entries.size
  }
  get(key: Key): Value | undefined {
    return this.entries.get(key)
  }
  keys(): Iterable<Key> {
    return this.entries.keys()
  }
}

/** A value as key of a map: whole numbers of all kinds are the same key. */
export const keyOf = (value: Value): Key | undefined => {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value
  if (value instanceof Uint) return value.value
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : undefined
}

/** The name of a value's type, as `type(x)` has it. */
export const typeName = (value: Value): string => {
  switch (typeof value) {
    case "bigint":
      return "int"
    case "boolean":
      return "bool"
    case "number":
      return "double"
    case "string":
      return "string"
  }
  if (value === null) return "null_type"
  if (value instanceof Uint8Array) return "bytes"
  if (value instanceof CelList) return "list"
  if (value instanceof CelMap) return "map"
  if (value instanceof Uint) return "uint"
  if (value instanceof Duration) return "google.protobuf.Duration"
  if (value instanceof Timestamp) return "google.protobuf.Timestamp"
  if (value instanceof Optional) return "optional_type"
  if (value instanceof Extension) return value.typeName
  return value instanceof TypeValue ? "type" : "error"
}

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g

/** Characters of a text, as CEL counts them: code points. Texts of one byte a character are not even looked through. */
export const textSize = (text: string): number => {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  return text.length - (text.match(pairs)?.length ?? 0)
}

/** The size of a value for its costs. Upstream: cel-go/interpreter/runtimecost.go, actualSize. */
export const sizeOf = (value: Value): number => {
  if (typeof value === "string") return textSize(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value)
  if (value instanceof Extension) return value.size
  return 1
}
