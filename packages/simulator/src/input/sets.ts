import { type InvalidInput, invalid } from "@rollcall/input"
import { parseDocument } from "@rollcall/input/documents"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

type Changed = Result.Result<unknown, string>

/** Returns a copy of `target` with the value at a path. `path` is the path so far, for the message if a list has no such item. */
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

/** Parses a value as YAML; a text that is not valid YAML is a string. */
const parseValue = (text: string): unknown => Result.getOrElse(parseDocument("--set", text), () => text) ?? null

/** Applies overrides `spec.path=value` to a scenario as written. Values are YAML, and `[n]` in a path selects the item of a list. */
export const applyOverrides = (
  document: unknown,
  sets: ReadonlyArray<string>
): Result.Result<unknown, InvalidInput> => {
  let current = document
  for (const text of sets) {
    const equals = text.indexOf("=")
    const path = equals < 0 ? "" : text.slice(0, equals)
    if (!/^(spec|metadata)(\.[^.[\]]+|\[\d+\])+$/.test(path)) {
      return Result.fail(invalid("--set", text, "expected spec.path=value, such as spec.duration=30m"))
    }
    const keys = path.replace(/\[(\d+)\]/g, ".$1").split(".")
    const changed = setAt(current, keys, parseValue(text.slice(equals + 1)), [])
    if (Result.isFailure(changed)) return Result.fail(invalid("--set", text, changed.failure))
    current = changed.success
  }
  return Result.succeed(current)
}

/** Returns whether a path is inside a field that an override replaced, so that the line of the file does not show its value. */
export const isOverridden = (sets: ReadonlyArray<string>, path: string): boolean => {
  const inDocument = path.replace(/^document \d+\./, "")
  return sets.some((text) => {
    const replaced = text.slice(0, Math.max(0, text.indexOf("=")))
    return inDocument === replaced || inDocument.startsWith(`${replaced}.`) || inDocument.startsWith(`${replaced}[`)
  })
}
