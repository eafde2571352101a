import { isSameTaint, type Taint } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import * as Result from "effect/Result"

const EFFECTS: ReadonlyArray<string> = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

const joined = (faults: ReadonlyArray<string>) => faults.join("; ")

const parseTaint = (text: string): Result.Result<Taint, string> => {
  const invalidSpec = (detail = "") => Result.fail(`invalid taint spec: ${text}${detail}`)
  const parts = text.split(":")
  const [pair = "", effect = ""] = parts
  if (parts.length > 2) return invalidSpec()
  let key = pair
  let value = ""
  if (parts.length === 2) {
    if (!EFFECTS.includes(effect)) {
      return Result.fail(`invalid taint effect: ${effect}, unsupported taint effect`)
    }
    const sides = pair.split("=")
    if (sides.length > 2) return invalidSpec()
    key = sides[0] ?? ""
    value = sides[1] ?? ""
    const faults = isValidLabelValue(value)
    if (faults.length > 0) return invalidSpec(`, ${joined(faults)}`)
  }
  const faults = isQualifiedName(key)
  if (faults.length > 0) return invalidSpec(`, ${joined(faults)}`)
  return Result.succeed({ key, ...(value === "" ? {} : { value }), effect })
}

/** Formats a taint as Go prints a Taint with `%v`. */
export const formatTaint = ({ effect, key, value = "" }: Taint): string => `{${key} ${value} ${effect} <nil>}`

/**
 * Parses `--register-with-taints`: items `key[=value]:effect`, separated by commas. An item that ends in `-` would
 * remove a taint: its syntax is checked, and it has no effect. Fails with upstream's message. Upstream: pkg/util/flag
 * RegisterWithTaintsVar, pkg/util/taints ParseTaints.
 */
export const parseRegisterTaints = (text: string): Result.Result<ReadonlyArray<Taint>, string> => {
  const taints: Array<Taint> = []
  for (const part of text === "" ? [] : text.split(",")) {
    const isRemoval = part.endsWith("-")
    const parsed = parseTaint(isRemoval ? part.slice(0, -1) : part)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    if (isRemoval) continue
    const taint = parsed.success
    if (taint.effect === "") return Result.fail(`invalid taint spec: ${part}`)
    if (taints.some((other) => isSameTaint(other, taint))) {
      return Result.fail(`duplicated taints with the same key and effect: ${formatTaint(taint)}`)
    }
    taints.push(taint)
  }
  return Result.succeed(taints)
}

/** Whether a taint of a configuration file may be registered. Upstream: pkg/util/taints CheckTaintValidation. */
export const isValidTaint = ({ effect = "", key = "", value = "" }: Partial<Taint>): boolean =>
  isQualifiedName(key).length === 0 &&
  (value === "" || isValidLabelValue(value).length === 0) &&
  (effect === "" || EFFECTS.includes(effect))
