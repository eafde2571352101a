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

/** Splits a line `definition # description`. */
export const splitDescription = (line: string): readonly [definition: string, description: string | undefined] => {
  const at = line.indexOf(" # ")
  return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 3)]
}

/** The options of a field by name; those without a value (`required`) have "". */
type Options = ReadonlyMap<string, string>

const noOptions: Options = new Map()

const parseOptions = (words: ReadonlyArray<string>): Options => {
  if (words.length === 0) return noOptions
  const options = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf("=")
    if (at < 0) options.set(word, "")
    else options.set(word.slice(0, at), word.slice(at + 1))
  }
  return options
}

const listPrefix = "[]"
const mapPrefix = "map[string]"

const listTypeOf = (options: Options): "atomic" | "set" | "map" => {
  const listType = options.get("listType")
  return listType === "map" || listType === "set" ? listType : "atomic"
}

const parseType = (name: string, options: Options, resolve: (name: string) => MessageType): WireType => {
  if (name.startsWith(listPrefix)) {
    const items = parseType(name.slice(listPrefix.length), noOptions, resolve)
    return { type: "list", items, listType: listTypeOf(options), keys: options.get("listMapKeys")?.split(",") ?? [] }
  }
  if (name.startsWith(mapPrefix)) {
    const values = parseType(name.slice(mapPrefix.length), noOptions, resolve)
    return { type: "map", values, mapType: options.get("mapType") === "atomic" ? "atomic" : "granular" }
  }
  if (isScalar(name)) return { type: "scalar", scalar: name }
  const message = resolve(name)
  return message.isUnion ? { type: "scalar", scalar: "any", union: message } : { type: "message", message }
}

/** Scalars that Go writes even with `omitempty`, because they are structs, of which its encoder knows no empty value. */
const alwaysWrittenScalars: ReadonlySet<string> = new Set<Scalar>(["Time", "MicroTime", "Quantity", "IntOrString"])

/** Returns the default in OpenAPI of a field that is not a pointer: its zero value; undefined for types without a default. */
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

/** Returns the value that `default=…` states; `""` is the empty string. */
const explicitDefault = (type: WireType, value: string): unknown =>
  value === '""' || (type.type === "scalar" && type.scalar !== "string") ? JSON.parse(value) : value

const enumOf = (options: Options): ReadonlyArray<string> | undefined => {
  const name = options.get("namedEnum")
  return name === undefined ? options.get("enum")?.split("|") : namedEnums[name]?.()
}

/** Returns what OpenAPI says of merging, where the options say so: `listType=none`, `mapType=granular`; for bytes, `listType=atomic`. */
const mergeMarkerOf = (options: Options, isBytes: boolean): FieldType["mergeMarker"] => {
  if (options.get("listType") === "none") return "none"
  if (isBytes && options.get("listType") === "atomic") return "list"
  return options.get("mapType") === "granular" ? "granular" : undefined
}

/** Removes undefined fields. */
const omitUndefined = <A extends object>(fields: A): { [K in keyof A]: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]: Exclude<A[K], undefined>
  }

/**
 * Parses one line of a table.
 *
 * @param resolve finds a message by its name in the table: `meta.ObjectMeta`
 * @param describe makes the description of a field that has none
 */
export const parseField = (
  line: string,
  resolve: (name: string) => MessageType,
  describe: (name: string) => string | undefined
): FieldType => {
  const [definition, description] = splitDescription(line.trim())
  const [name = "", number = "", typeName = "", ...rest] = definition.split(" ")
  const options = parseOptions(rest)
  const type = parseType(typeName, options, resolve)
  const numbers = number.split(".").map(Number)
  const required = options.has("required")
  const pointer = type.type === "message" ? !options.has("byValue") : options.has("pointer")
  const hasNoEmptyValue = type.type === "message" || (type.type === "scalar" && alwaysWrittenScalars.has(type.scalar))
  const omitEmpty =
    options.has("omitEmpty") ||
    (!required && !options.has("noOmitEmpty") && (pointer || !hasNoEmptyValue || options.has("omitZero")))
  const zero = pointer || (omitEmpty && type.type !== "message") ? undefined : zeroDefault(type)
  const explicit = options.get("default")
  return {
    name,
    number: numbers.at(-1) ?? 0,
    type,
    required,
    omitEmpty,
    pointer,
    ...omitUndefined({
      embeddedIn: numbers.length === 1 ? undefined : numbers.slice(0, -1),
      enum: enumOf(options),
      default: explicit === undefined ? zero : explicitDefault(type, explicit),
      patchStrategy: options.get("patchStrategy") as FieldType["patchStrategy"],
      patchMergeKey: options.get("patchMergeKey"),
      mergeMarker: mergeMarkerOf(options, type.type === "scalar" && type.scalar === "bytes"),
      description: options.has("undescribed") ? undefined : (description ?? describe(name))
    })
  }
}
