import { type Fields, isFields } from "@rollcall/api/values"
import { CelList, CelMap, type Key, type Value } from "@rollcall/cel"

/** Converts a value of JSON without a type: whole numbers are integers. Parts are converted when they are read. */
export const plainValue = (value: unknown): Value => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value
    case "number":
      return Number.isInteger(value) ? BigInt(value) : value
  }
  if (Array.isArray(value)) return new PlainList(value)
  return isFields(value) ? new PlainMap(value) : null
}

class PlainList extends CelList {
  private readonly list: ReadonlyArray<unknown>
  constructor(list: ReadonlyArray<unknown>) {
    super()
    this.list = list
  }
  get size(): number {
    return this.list.length
  }
  at(index: number): Value {
    return plainValue(this.list[index])
  }
}

class PlainMap extends CelMap {
  private readonly fields: Fields
  private names: ReadonlyArray<string> | undefined
  constructor(fields: Fields) {
    super()
    this.fields = fields
  }
  get size(): number {
    return this.keys().length
  }
  get(key: Key): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.fields, key)) return undefined
    const value = this.fields[key]
    return value === undefined ? undefined : plainValue(value)
  }
  keys(): ReadonlyArray<string> {
    this.names ??= Object.keys(this.fields).filter((name) => this.fields[name] !== undefined)
    return this.names
  }
}
