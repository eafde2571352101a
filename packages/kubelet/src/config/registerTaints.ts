import { isSameTaint, type Taint } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import * as Result from "effect/Result"

const EFFECTS: ReadonlyArray<string> = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

const joined = (faults: ReadonlyArray<string>) => faults.join("; ")

const parseTaint = (text: string): Result.Result<Taint, string> => {
  const wrong = (why = "") => Result.fail(`invalid taint spec: ${text}${why}`)
  const parts = text.split(":")
  const [pair = "", effect = ""] = parts
  if (parts.length > 2) return wrong()
  let key = pair
  let value = ""
  if (parts.length === 2) {
    if (!EFFECTS.includes(effect)) {
      return Result.fail(`invalid taint effect: ${effect}, unsupported taint effect`)
    }
    const sides = pair.split("=")
    if (sides.length > 2) return wrong()
    key = sides[0] ?? ""
    value = sides[1] ?? ""
    const faults = isValidLabelValue(value)
    if (faults.length > 0) return wrong(`, ${joined(faults)}`)
  }
  const faults = isQualifiedName(key)
  if (faults.length > 0) return wrong(`, ${joined(faults)}`)
  return Result.succeed({ key, ...(value === "" ? {} : { value }), effect })
}

/** As Go prints a Taint with `%v`. */
export const printedTaint = ({ effect, key, value = "" }: Taint): string => `{${key} ${value} ${effect} <nil>}`

/**
 * `--register-with-taints`: `key[=value]:effect` separated by commas; what ends in `-` would take a taint off and is only
 * checked. Fails with upstream's message. Upstream: pkg/util/flag RegisterWithTaintsVar, pkg/util/taints ParseTaints.
 */
export const parseRegisterTaints = (text: string): Result.Result<ReadonlyArray<Taint>, string> => {
  const taints: Array<Taint> = []
  for (const part of text === "" ? [] : text.split(",")) {
    const removed = part.endsWith("-")
    const parsed = parseTaint(removed ? part.slice(0, -1) : part)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    if (removed) continue
    const taint = parsed.success
    if (taint.effect === "") return Result.fail(`invalid taint spec: ${part}`)
    if (taints.some((other) => isSameTaint(other, taint))) {
      return Result.fail(`duplicated taints with the same key and effect: ${printedTaint(taint)}`)
    }
    taints.push(taint)
  }
  return Result.succeed(taints)
}

/** Whether a taint of a configuration file may be registered. Upstream: pkg/util/taints CheckTaintValidation. */
export const isTaint = ({ effect = "", key = "", value = "" }: Partial<Taint>): boolean =>
  isQualifiedName(key).length === 0 &&
  (value === "" || isValidLabelValue(value).length === 0) &&
  (effect === "" || EFFECTS.includes(effect))
