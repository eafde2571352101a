import { type InvalidInput, invalid } from "@rollcall/input"
import { parseDocument } from "@rollcall/input/documents"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

type Changed = Result.Result<unknown, string>

/** The value with one place in it changed; fails with the list that has no such item. */
const setAt = (target: unknown, keys: ReadonlyArray<string>, value: unknown, path: ReadonlyArray<string>): Changed => {
  const [key, ...rest] = keys
  if (key === undefined) return Result.succeed(value)
  const inside = (old: unknown) => setAt(old, rest, value, [...path, key])
  if (Array.isArray(target)) {
    const index = Number(key)
    return index in target
      ? Result.map(inside(target[index]), (changed) => target.with(index, changed))
      : Result.fail(`${path.join(".")} has no item ${key}`)
  }
  const record = Predicate.isReadonlyObject(target) ? target : {}
  return Result.map(inside(record[key]), (changed) => ({ ...record, [key]: changed }))
}

/** What is no YAML is a text. */
const parseValue = (text: string): unknown => Result.getOrElse(parseDocument("--set", text), () => text) ?? null

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
    const changed = setAt(current, keys, parseValue(text.slice(at + 1)), [])
    if (Result.isFailure(changed)) return Result.fail(invalid("--set", text, changed.failure))
    current = changed.success
  }
  return Result.succeed(current)
}

/** Whether a path is in what settings of a command line replaced: the text of the file says something else there. */
export const isReplaced = (sets: ReadonlyArray<string>, path: string): boolean => {
  const inDocument = path.replace(/^document \d+\./, "")
  return sets.some((text) => {
    const replaced = text.slice(0, Math.max(0, text.indexOf("=")))
    return inDocument === replaced || inDocument.startsWith(`${replaced}.`) || inDocument.startsWith(`${replaced}[`)
  })
}
