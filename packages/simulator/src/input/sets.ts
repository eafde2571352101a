import * as Result from "effect/Result"
import { parse } from "yaml"
import { type InvalidInput, invalid } from "./Problem.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const setAt = (target: unknown, keys: ReadonlyArray<string>, value: unknown): unknown => {
  const [key, ...rest] = keys
  if (key === undefined) return value
  if (Array.isArray(target)) {
    return target.map((item, index) => (index === Number(key) ? setAt(item, rest, value) : item))
  }
  const record = isRecord(target) ? target : {}
  return { ...record, [key]: setAt(record[key], rest, value) }
}

const parseValue = (text: string): unknown => {
  try {
    return parse(text)
  } catch {
    return text
  }
}

/** Applies `spec.path=value` settings to a scenario as it was written; values are YAML, `[n]` picks a list's item. */
export const applySets = (document: unknown, sets: ReadonlyArray<string>): Result.Result<unknown, InvalidInput> => {
  let current = document
  for (const text of sets) {
    const at = text.indexOf("=")
    const path = at < 0 ? "" : text.slice(0, at)
    if (!/^(spec|metadata)(\.[^.[\]]+|\[\d+\])+$/.test(path)) {
      return Result.fail(invalid("--set", text, "expected spec.path=value, such as spec.duration=30m"))
    }
    const keys = path.replace(/\[(\d+)\]/g, ".$1").split(".")
    current = setAt(current, keys, parseValue(text.slice(at + 1)))
  }
  return Result.succeed(current)
}
