import { namedEnums } from "./enums.ts"
import type { FieldType, MessageType, Scalar, WireType } from "./WireType.ts"

const scalars: ReadonlySet<string> = new Set<Scalar>([
  "string",
  "bool",
  "int32",
  "int64",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
  "any"
])

const isScalar = (name: string): name is Scalar => scalars.has(name)

/** Splits `text # description`. */
export const splitDescription = (line: string): readonly [text: string, description: string | undefined] => {
  const at = line.indexOf(" # ")
  return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 3)]
}

interface Flags {
  readonly has: (flag: string) => boolean
  /** The arguments in `name(…)`. */
  readonly of: (name: string) => ReadonlyArray<string> | undefined
  readonly default: string | undefined
}

const flagsOf = (flags: ReadonlyArray<string>): Flags => ({
  has: (flag) => flags.includes(flag),
  of: (name) => {
    const flag = flags.find((each) => each.startsWith(`${name}(`))
    return flag?.slice(name.length + 1, -1).split("|")
  },
  default: flags.find((flag) => flag.startsWith("="))?.slice(1)
})

const typeOf = (text: string, flags: Flags, resolve: (name: string) => MessageType): WireType => {
  if (text.startsWith("[]")) {
    const keys = flags.of("by")
    const listType = keys !== undefined ? "map" : flags.has("set") ? "set" : "atomic"
    return { type: "list", items: typeOf(text.slice(2), flagsOf([]), resolve), listType, keys: keys ?? [] }
  }
  if (text.startsWith("{}")) {
    const values = typeOf(text.slice(2), flagsOf([]), resolve)
    return { type: "map", values, mapType: flags.has("atomic") ? "atomic" : "granular" }
  }
  return isScalar(text) ? { type: "scalar", scalar: text } : { type: "message", message: resolve(text) }
}

/** Types that Go always writes, because its encoder knows no empty value of them. */
const alwaysWritten: ReadonlySet<string> = new Set<Scalar>(["Time", "MicroTime", "Quantity", "IntOrString"])

/** Returns the zero value that OpenAPI has as the default of such types. */
const zeroDefault = (type: WireType): unknown => {
  if (type.type === "message") return {}
  if (type.type !== "scalar") return undefined
  switch (type.scalar) {
    case "string":
      return ""
    case "bool":
      return false
    case "int32":
    case "int64":
    case "double":
      return 0
    default:
      return undefined
  }
}

const explicitDefault = (type: WireType, text: string): unknown =>
  type.type === "scalar" && type.scalar !== "string" ? JSON.parse(text) : text

const strategyOf = (flags: Flags): FieldType["patchStrategy"] => {
  const merge = flags.has("merge") || flags.of("merge") !== undefined
  if (flags.has("retainKeys")) return merge ? "merge,retainKeys" : "retainKeys"
  return merge ? "merge" : flags.has("replace") ? "replace" : undefined
}

const enumOf = (flags: Flags): ReadonlyArray<string> | undefined => {
  const values = flags.of("enum")
  const named = values?.[0]?.startsWith("@") ? namedEnums[values[0].slice(1)] : undefined
  return named === undefined ? values : named()
}

/** Removes undefined fields. */
const omitUndefined = <A extends object>(fields: A): { [K in keyof A]: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]: Exclude<A[K], undefined>
  }

/** Parses one line of a table. */
export const parseField = (
  line: string,
  resolve: (name: string) => MessageType,
  describe: (name: string) => string
): FieldType => {
  const [text, description] = splitDescription(line.trim())
  const [name = "", number = "", typeText = "", ...rest] = text.split(" ")
  const flags = flagsOf(rest)
  const type = typeOf(typeText, flags, resolve)
  const [outer = "0", inner] = number.split(".")
  const required = flags.has("!")
  const pointer = type.type === "message" ? !flags.has("&") : flags.has("*")
  const byValue = type.type === "message" || (type.type === "scalar" && alwaysWritten.has(type.scalar))
  const omitEmpty = !required && !flags.has("0") && (pointer || !byValue || flags.has("-"))
  const zero = pointer || (omitEmpty && type.type !== "message") ? undefined : zeroDefault(type)
  return {
    name,
    number: Number(inner ?? outer),
    type,
    required,
    omitEmpty,
    pointer,
    ...omitUndefined({
      embeddedIn: inner === undefined ? undefined : Number(outer),
      enum: enumOf(flags),
      default: flags.default === undefined ? zero : explicitDefault(type, flags.default),
      patchStrategy: strategyOf(flags),
      patchMergeKey: flags.of("merge")?.[0]
    }),
    description: description ?? describe(name)
  }
}
