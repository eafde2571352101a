import { libraryOverloads, libraryTypes } from "./library/libraries.ts"
import { SORT_BY_KEYS } from "./macros.ts"
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT
} from "./types.ts"

/**
 * One overload of a function: its parameter and result types. Upstream: cel-go/common/overloads;
 * apiserver/pkg/cel/library.
 */
export interface Overload {
  readonly id: string
  /** Whether it is called as a method of its first argument. */
  readonly member: boolean
  readonly params: ReadonlyArray<CelType>
  readonly result: CelType
}

/** The types without parameters by their names in the table below. */
const typesByName: Readonly<Record<string, CelType>> = {
  A: param("A"),
  B: param("B"),
  any: DYN,
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  int: INT,
  null: NULL,
  string: STRING,
  time: TIMESTAMP,
  uint: UINT,
  ...libraryTypes
}

/** Reads a type of the table: `[A]` is a list, `{A:B}` a map, `opt(A)` an optional value and `type(A)` a type. */
const typeNamed = (text: string): CelType => {
  const [, entry] = /^\{(.*)\}$/.exec(text) ?? []
  if (entry !== undefined) {
    const colon = entry.indexOf(":")
    return mapOf(typeNamed(entry.slice(0, colon)), typeNamed(entry.slice(colon + 1)))
  }
  const [, name = "", inner = ""] = /^(\[|opt\(|type\()(.*).$/.exec(text) ?? []
  if (name === "[") return listOf(typeNamed(inner))
  if (name === "opt(") return optionalOf(typeNamed(inner))
  if (name === "type(") return typeOf(typeNamed(inner))
  const type = typesByName[text]
  if (type === undefined) throw new Error(`the table of overloads names an unknown type: ${text}`)
  return type
}

/** The types with an order, each with those that its values are compared with. */
const orderedTypes: Readonly<Record<string, string>> = {
  bool: "bool",
  int: "int double uint",
  uint: "uint double int",
  double: "double int uint",
  string: "string",
  bytes: "bytes",
  time: "time",
  duration: "duration"
}

const comparisons = (operator: string, id: string): ReadonlyArray<string> =>
  Object.entries(orderedTypes).flatMap(([left, types]) =>
    types.split(" ").map((right) => {
      const other = left === right ? "" : `_${idNames[right] ?? right}`
      return `${operator} ${left} ${right} -> bool = ${id}_${idNames[left] ?? left}${other}`
    })
  )

/** The names of types in ids, where they differ. */
const idNames: Readonly<Record<string, string>> = {
  int: "int64",
  uint: "uint64",
  time: "timestamp"
}

const arithmetic = (operator: string, id: string, types: ReadonlyArray<string>): ReadonlyArray<string> =>
  types.map((type) => `${operator} ${type} ${type} -> ${type} = ${id}_${idNames[type] ?? type}`)

/** The parameter types of conversions. */
const conversions: Readonly<Record<string, string>> = {
  bool: "bool string",
  bytes: "bytes string",
  double: "double int string uint",
  duration: "duration int string",
  int: "int double duration string time uint",
  string: "string bool bytes double duration int time uint",
  timestamp: "time int string",
  uint: "uint double int string"
}

/** The types whose lists have a minimum and can be sorted; those whose lists have a sum. */
const comparableTypes = ["int", "uint", "double", "bool", "duration", "time", "string", "bytes"]
const summableTypes = ["int", "uint", "double", "duration"]

const timeParts = "getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek"
const clockParts = "getHours getMinutes getSeconds getMilliseconds"

/**
 * The overloads, one in a line: `name parameters -> result = id`. A name that starts with a dot is that of a method of
 * its first parameter. They are in upstream's order: a value of unknown type takes that of the first overload.
 */
const lines: ReadonlyArray<string> = [
  "_?_:_ bool A A -> A = conditional",
  "_&&_ bool bool -> bool = logical_and",
  "_||_ bool bool -> bool = logical_or",
  "!_ bool -> bool = logical_not",
  "@not_strictly_false bool -> bool = not_strictly_false",
  "_==_ A A -> bool = equals",
  "_!=_ A A -> bool = not_equals",
  ...comparisons("_<_", "less"),
  ...comparisons("_<=_", "less_equals"),
  ...comparisons("_>_", "greater"),
  ...comparisons("_>=_", "greater_equals"),
  ...arithmetic("_+_", "add", ["bytes", "double", "duration"]),
  "_+_ duration time -> time = add_duration_timestamp",
  "_+_ time duration -> time = add_timestamp_duration",
  ...arithmetic("_+_", "add", ["int"]),
  "_+_ [A] [A] -> [A] = add_list",
  ...arithmetic("_+_", "add", ["string", "uint"]),
  ...arithmetic("_-_", "subtract", ["double", "duration", "int"]),
  "_-_ time duration -> time = subtract_timestamp_duration",
  "_-_ time time -> duration = subtract_timestamp_timestamp",
  ...arithmetic("_-_", "subtract", ["uint"]),
  ...arithmetic("_*_", "multiply", ["double", "int", "uint"]),
  ...arithmetic("_/_", "divide", ["double", "int", "uint"]),
  ...arithmetic("_%_", "modulo", ["int", "uint"]),
  "-_ double -> double = negate_double",
  "-_ int -> int = negate_int64",
  "_[_] [A] int -> A = index_list",
  "_[_] {A:B} A -> B = index_map",
  "_[_] opt([A]) int -> opt(A) = optional_list_index_int",
  "_[_] opt({A:B}) A -> opt(B) = optional_map_index_value",
  "_[?_] [A] int -> opt(A) = list_optindex_optional_int",
  "_[?_] {A:B} A -> opt(B) = map_optindex_optional_value",
  "_[?_] opt([A]) int -> opt(A) = optional_list_optindex_optional_int",
  "_[?_] opt({A:B}) A -> opt(B) = optional_map_optindex_optional_value",
  "@in A [A] -> bool = in_list",
  "@in A {A:B} -> bool = in_map",
  ...["bytes", "[A]", "{A:B}", "string"].flatMap((type) => {
    const id = type === "[A]" ? "list" : type === "{A:B}" ? "map" : type
    return [`size ${type} -> int = size_${id}`, `.size ${type} -> int = ${id}_size`]
  }),
  ...Object.entries(conversions).flatMap(([name, types]) =>
    types
      .split(" ")
      .map((type) => `${name} ${type} -> ${name === "timestamp" ? "time" : name} = ${conversionId(type, name)}`)
  ),
  "dyn A -> any = to_dyn",
  "type A -> type(A) = type",
  ...timeParts
    .split(" ")
    .flatMap((name) => [
      `.${name} time -> int = timestamp_to_${name}`,
      `.${name} time string -> int = timestamp_to_${name}_with_tz`
    ]),
  ...clockParts
    .split(" ")
    .flatMap((name) => [
      `.${name} time -> int = timestamp_to_${name}`,
      `.${name} time string -> int = timestamp_to_${name}_with_tz`,
      `.${name} duration -> int = duration_to_${name}`
    ]),
  ".contains string string -> bool = contains_string",
  ".startsWith string string -> bool = starts_with_string",
  ".endsWith string string -> bool = ends_with_string",
  ".matches string string -> bool = matches_string",
  "matches string string -> bool = matches",
  ".charAt string int -> string = string_char_at_int",
  ".indexOf [A] A -> int = list_a_index_of_int",
  ".lastIndexOf [A] A -> int = list_a_last_index_of_int",
  ".indexOf string string -> int = string_index_of_string",
  ".indexOf string string int -> int = string_index_of_string_int",
  ".lastIndexOf string string -> int = string_last_index_of_string",
  ".lastIndexOf string string int -> int = string_last_index_of_string_int",
  ".join [string] -> string = list_join",
  ".join [string] string -> string = list_join_string",
  ".lowerAscii string -> string = string_lower_ascii",
  ".upperAscii string -> string = string_upper_ascii",
  ".replace string string string -> string = string_replace_string_string",
  ".replace string string string int -> string = string_replace_string_string_int",
  ".split string string -> [string] = string_split_string",
  ".split string string int -> [string] = string_split_string_int",
  ".substring string int -> string = string_substring_int",
  ".substring string int int -> string = string_substring_int_int",
  ".trim string -> string = string_trim",
  "strings.quote string -> string = strings_quote",
  "jsonpatch.escapeKey string -> string = string_jsonpatch_escapeKey_string",
  ".format string [any] -> string = string_format",
  ".find string string -> string = string_find_string",
  ".findAll string string -> [string] = string_find_all_string",
  ".findAll string string int -> [string] = string_find_all_string_int",
  ...comparableTypes.map((type) => `.isSorted [${type}] -> bool = list_${type}_is_sorted_bool`),
  ...summableTypes.map((type) => `.sum [${type}] -> ${type} = list_${type}_sum_${type}`),
  ...comparableTypes.map((type) => `.min [${type}] -> ${type} = list_${type}_min_${type}`),
  ...comparableTypes.map((type) => `.max [${type}] -> ${type} = list_${type}_max_${type}`),
  ".slice [A] int int -> [A] = list_slice",
  ".flatten [[A]] -> [A] = list_flatten",
  ".flatten [any] int -> [any] = list_flatten_int",
  ...comparableTypes.map((type) => `.sort [${type}] -> [${type}] = list_${type}_sort`),
  ...comparableTypes.map((type) => `.${SORT_BY_KEYS} [A] [${type}] -> [A] = list_${type}_sortByAssociatedKeys`),
  "lists.range int -> [int] = lists_range",
  ".reverse [A] -> [A] = list_reverse",
  ".distinct [A] -> [A] = list_distinct",
  "sets.contains [A] [A] -> bool = list_sets_contains_list",
  "sets.equivalent [A] [A] -> bool = list_sets_equivalent_list",
  "sets.intersects [A] [A] -> bool = list_sets_intersects_list",
  ...libraryOverloads,
  "optional.of A -> opt(A) = optional_of",
  "optional.ofNonZeroValue A -> opt(A) = optional_ofNonZeroValue",
  "optional.none -> opt(A) = optional_none",
  ".hasValue opt(A) -> bool = optional_hasValue",
  ".value opt(A) -> A = optional_value",
  ".or opt(A) opt(A) -> opt(A) = optional_or_optional",
  ".orValue opt(A) A -> A = optional_orValue_value",
  ".first [A] -> opt(A) = list_first",
  ".last [A] -> opt(A) = list_last",
  "optional.unwrap [opt(A)] -> [A] = optional_unwrap",
  ".unwrapOpt [opt(A)] -> [A] = optional_unwrapOpt",
  "cel.@mapInsert {A:B} A B -> {A:B} = @mapInsert_map_key_value",
  "cel.@mapInsert {A:B} {A:B} -> {A:B} = @mapInsert_map_map"
]

function conversionId(from: string, to: string): string {
  const name = (type: string) => (type === "time" ? "timestamp" : (idNames[type] ?? type))
  return `${name(from)}_to_${name(to)}`
}

const parseLine = (line: string): readonly [string, Overload] => {
  const [head = "", id = ""] = line.split(" = ")
  const [signature = "", result = ""] = head.split(" -> ")
  const [name = "", ...params] = signature.trim().split(" ")
  const member = name.startsWith(".")
  return [member ? name.slice(1) : name, { id, member, params: params.map(typeNamed), result: typeNamed(result) }]
}

const table = new Map<string, Array<Overload>>()
for (const [name, overload] of lines.map(parseLine)) {
  const known = table.get(name)
  if (known === undefined) table.set(name, [overload])
  else known.push(overload)
}

/** Returns the overloads of a function; none if there is no such function. */
export const overloadsOf = (name: string): ReadonlyArray<Overload> => table.get(name) ?? []
