import type { Release } from "@rollcall/api"
import * as Result from "effect/Result"
import type { FieldType } from "../../src/config/FieldType.ts"
import { noKubeletSettings, resolveKubelet } from "../../src/index.ts"

/** A type in words. */
export const describeField = (type: FieldType): string => {
  if (typeof type === "string") return { text: "text", int32: "int32", int64: "int64" }[type as string] ?? type
  if ("list" in type) return `list of ${describeField(type.list)}`
  if ("map" in type) return `map of ${describeField(type.map)}`
  return `{ ${Object.entries(type.fields)
    .map(([name, inner]) => `${name}: ${describeField(inner)}`)
    .join(", ")} }`
}

/** What a kubelet of a release that is told nothing has in each field, as JSON. */
export const defaultsOf = (release: Release): Readonly<Record<string, string>> => {
  const { configuration } = Result.getOrThrow(resolveKubelet(noKubeletSettings, release))
  return Object.fromEntries(
    Object.entries(configuration).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ").replaceAll(":", ": ")
    ])
  )
}
