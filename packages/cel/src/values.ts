/** A value of a type from one of Kubernetes' libraries. */
export abstract class Extension {
  /** The name returned by `type(x)`: `kubernetes.Quantity`. */
  abstract readonly typeName: string
  /** A text that equal values of the type share, and only they. */
  abstract readonly key: string
  /** The size for cost calculation. */
  get size(): number {
    return 1
  }
  /** Whether upstream can compare another value with it: not with the result of an addition of quantities. */
  readonly isComparable: boolean = true
}

/** A value in a rule. Integers are bigints, doubles are numbers; lists and maps of an object are converted lazily. */
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

/** An error within an expression, which `&&`, `||`, `all` and `exists` may absorb. */
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

/** A duration in nanoseconds. */
export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A time in nanoseconds since the Unix epoch. Its text has the offset from UTC with which it was written. */
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

/** A type as a value: `type(self)`. */
export class TypeValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** An optional value; undefined for none. */
export class Optional {
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** How items of a list are identified, by the schema's list type. */
export interface ListKeys {
  readonly kind: "map" | "set"
  /** The fields that identify items of a list of type map. */
  readonly keys: ReadonlyArray<string>
}

/** A list. For the types set and map, the order of items is irrelevant and adding replaces. */
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

  /** Visits the items in order until a visit returns false. */
  each(visit: (item: Value, index: number) => boolean): void {
    for (let index = 0; index < this.size; index++) if (!visit(this.at(index), index)) return
  }
}

/** A list of items in memory; a comprehension's accumulator is extended in place. */
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

/**
 * The concatenation of two lists, in constant time and memory: a list that is repeatedly added to itself only doubles
 * its size.
 */
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
    let part: CelList = this
    let place = index
    while (part instanceof JoinedList) {
      if (place < part.left.size) part = part.left
      else {
        place -= part.left.size
        part = part.right
      }
    }
    return part.at(place)
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

  /** Returns the constituent lists, from left to right. */
  private *parts(): Iterable<CelList> {
    const remaining: Array<CelList> = [this]
    for (let part = remaining.pop(); part !== undefined; part = remaining.pop()) {
      if (part instanceof JoinedList) remaining.push(part.right, part.left)
      else yield part
    }
  }
}

export type Key = Exclude<Value, CelError | undefined>

/** A map, or an object whose fields the schema defines. */
export abstract class CelMap {
  abstract readonly size: number
  abstract get(key: Key): Value | undefined
  abstract keys(): Iterable<Key>
  /** Whether `key in map` holds: a map with a default value finds more keys than it has. */
  has(key: Key): boolean {
    return this.get(key) !== undefined
  }
}

/** A map in memory. */
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

/** A message that an expression has made, with the fields that it set. */
export class MessageValue extends EntryMap {
  readonly messageName: string
  constructor(messageName: string, entries: Map<Key, Value>) {
    super(entries)
    this.messageName = messageName
  }
}

/** Returns a value as a map key: integers of all types give the same key. Undefined if it cannot be one. */
export const keyOf = (value: Value): Key | undefined => {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value
  if (value instanceof Uint) return value.value
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : undefined
}

/** Returns the name of a value's type, as `type(x)` does. */
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
  if (value instanceof MessageValue) return value.messageName
  if (value instanceof CelMap) return "map"
  if (value instanceof Uint) return "uint"
  if (value instanceof Duration) return "google.protobuf.Duration"
  if (value instanceof Timestamp) return "google.protobuf.Timestamp"
  if (value instanceof Optional) return "optional_type"
  if (value instanceof Extension) return value.typeName
  return value instanceof TypeValue ? "type" : "error"
}

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g

/** Returns the length of a text in code points, as CEL counts it. One-byte strings need no scan. */
export const textSize = (text: string): number => {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  return text.length - (text.match(pairs)?.length ?? 0)
}

/** Returns the size of a value for costs. Upstream: cel-go/interpreter/runtimecost.go, actualSize. */
export const sizeOf = (value: Value): number => {
  if (typeof value === "string") return textSize(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value)
  if (value instanceof Extension) return value.size
  return 1
}
