import { isDeepStrictEqual } from "node:util"
import { isObject, type Json } from "./Case.ts"
import { unifiedDiff } from "./unifiedDiff.ts"

const sortedKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key] ?? null)])
  )
}

const linesOf = (value: Json): ReadonlyArray<string> =>
  (typeof value === "string" ? value.replace(/\n$/, "") : JSON.stringify(sortedKeys(value), null, 1)).split("\n")

/** Compares the recorded with the actual response: undefined if they are equal, else a unified diff. */
export const compare = (title: string, recorded: Json, answered: Json): string | undefined => {
  if (isDeepStrictEqual(recorded, answered)) return undefined
  const diff = unifiedDiff(linesOf(recorded), linesOf(answered))
  return diff === ""
    ? `${title}: they differ in the final newline only`
    : `--- ${title} (recorded)\n+++ ${title} (answered)\n${diff}`
}
