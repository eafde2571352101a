import type { Node, Taint } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import * as Result from "effect/Result"

export interface TaintChanges {
  readonly add: ReadonlyArray<Taint>
  /** Taints to remove; one with an empty effect stands for all effects of its key. */
  readonly remove: ReadonlyArray<Taint>
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** Parses `k=v:Effect`, `k:Effect` or `k`. */
const parseTaint = (spec: string): Result.Result<Taint, string> => {
  const invalidSpec = (why?: string) => Result.fail(`invalid taint spec: ${spec}${why === undefined ? "" : `, ${why}`}`)
  const [pair = "", effect = "", ...more] = spec.split(":")
  if (more.length > 0) return invalidSpec()
  let key = pair
  let value = ""
  if (spec.includes(":")) {
    const [name = "", given = "", ...rest] = pair.split("=")
    if (rest.length > 0) return invalidSpec()
    key = name
    value = given
    if (!effects.includes(effect)) return Result.fail(`invalid taint effect: ${effect}, unsupported taint effect`)
    const problems = isValidLabelValue(value)
    if (problems.length > 0) return invalidSpec(problems.join("; "))
  }
  const problems = isQualifiedName(key)
  if (problems.length > 0) return invalidSpec(problems.join("; "))
  return Result.succeed({ key, ...(value === "" ? {} : { value }), effect })
}

/** Parses the changes of `kubectl taint`. Upstream: kubectl/pkg/cmd/taint/utils.go, parseTaints. */
export const parseTaints = (specs: ReadonlyArray<string>): Result.Result<TaintChanges, string> => {
  const add: Array<Taint> = []
  const remove: Array<Taint> = []
  for (const spec of specs) {
    const isRemoval = spec.endsWith("-")
    const parsed = parseTaint(isRemoval ? spec.slice(0, -1) : spec)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    const taint = parsed.success
    if (isRemoval) {
      remove.push(taint)
      continue
    }
    if (taint.effect === "") return Result.fail(`invalid taint spec: ${spec}`)
    if (add.some((other) => isSameTaint(other, taint))) {
      const shown = `{${taint.key} ${taint.value ?? ""} ${taint.effect} <nil>}`
      return Result.fail(`duplicated taints with the same key and effect: ${shown}`)
    }
    add.push(taint)
  }
  return Result.succeed({ add, remove })
}

/** Returns the error if the changes contradict each other. */
export const contradictionError = ({ add, remove }: TaintChanges): string | undefined => {
  const contradictory = add.flatMap((taint) => remove.filter((removal) => removes(removal, taint)))
  if (contradictory.length === 0) return undefined
  const list = contradictory.map(({ effect, key }) => `${key}=${effect}`).join(", ")
  return `can not both modify and remove the following taint(s) in the same command: ${list}`
}

const isSameTaint = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect
const removes = (wanted: Taint, taint: Taint): boolean =>
  wanted.key === taint.key && (wanted.effect === "" || wanted.effect === taint.effect)

const taintText = ({ effect, key, value }: Taint): string => {
  if (effect === "") return key
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`
}

export interface TaintResult {
  readonly taints: ReadonlyArray<Taint>
  readonly operation: "tainted" | "untainted" | "modified"
}

/** Returns the taints of a node after the changes, and the verb of the output line. Upstream: reorganizeTaints. */
export const changeTaints = (
  { metadata, spec }: Node,
  { add, remove }: TaintChanges,
  overwrite: boolean
): Result.Result<TaintResult, ReadonlyArray<string>> => {
  const old = spec?.taints ?? []
  const existing = add.filter((taint) => old.some((other) => isSameTaint(other, taint)))
  if (existing.length > 0 && !overwrite) {
    const keys = existing.map(({ key }) => key).join(",")
    return Result.fail([
      `node ${metadata.name} already has ${keys} taint(s) with same effect(s) and --overwrite is false`
    ])
  }
  const all = [...add, ...old.filter((taint) => !add.some((other) => isSameTaint(other, taint)))]
  const missing = remove.filter((removal) => !all.some((taint) => removes(removal, taint)))
  if (missing.length > 0) {
    return Result.fail(missing.map((taint) => `taint ${JSON.stringify(taintText(taint))} not found`))
  }
  const taints = all.filter((taint) => !remove.some((removal) => removes(removal, taint)))
  const added = all.length !== old.length
  const deleted = taints.length !== all.length
  const operation = (added && deleted) || overwrite ? "modified" : added ? "tainted" : "untainted"
  return Result.succeed({ taints, operation })
}
