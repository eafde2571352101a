import type { Node, Taint } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import * as Result from "effect/Result"

export interface TaintChanges {
  readonly add: ReadonlyArray<Taint>
  /** Absent: every effect. */
  readonly remove: ReadonlyArray<Taint>
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** Parses `k=v:Effect`, `k:Effect` or `k`. */
const parseTaint = (spec: string): Result.Result<Taint, string> => {
  const refuse = (why?: string) => Result.fail(`invalid taint spec: ${spec}${why === undefined ? "" : `, ${why}`}`)
  const [pair = "", effect = "", ...more] = spec.split(":")
  if (more.length > 0) return refuse()
  let key = pair
  let value = ""
  if (spec.includes(":")) {
    const [name = "", given = "", ...rest] = pair.split("=")
    if (rest.length > 0) return refuse()
    key = name
    value = given
    if (!effects.includes(effect)) return Result.fail(`invalid taint effect: ${effect}, unsupported taint effect`)
    const faults = isValidLabelValue(value)
    if (faults.length > 0) return refuse(faults.join("; "))
  }
  const faults = isQualifiedName(key)
  if (faults.length > 0) return refuse(faults.join("; "))
  return Result.succeed({ key, ...(value === "" ? {} : { value }), effect })
}

/** Parses the changes of `kubectl taint`. Upstream: kubectl/pkg/cmd/taint/utils.go, parseTaints. */
export const parseTaints = (specs: ReadonlyArray<string>): Result.Result<TaintChanges, string> => {
  const add: Array<Taint> = []
  const remove: Array<Taint> = []
  for (const spec of specs) {
    const removes = spec.endsWith("-")
    const parsed = parseTaint(removes ? spec.slice(0, -1) : spec)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    const taint = parsed.success
    if (removes) {
      remove.push(taint)
      continue
    }
    if (taint.effect === "") return Result.fail(`invalid taint spec: ${spec}`)
    if (add.some((other) => sameTaint(other, taint))) {
      const shown = `{${taint.key} ${taint.value ?? ""} ${taint.effect} <nil>}`
      return Result.fail(`duplicated taints with the same key and effect: ${shown}`)
    }
    add.push(taint)
  }
  return Result.succeed({ add, remove })
}

/** Returns the error if the changes contradict each other. */
export const contradiction = ({ add, remove }: TaintChanges): string | undefined => {
  const both = add.flatMap((taint) => remove.filter((gone) => matches(gone, taint)))
  if (both.length === 0) return undefined
  const list = both.map(({ effect, key }) => `${key}=${effect}`).join(", ")
  return `can not both modify and remove the following taint(s) in the same command: ${list}`
}

const sameTaint = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect
const matches = (wanted: Taint, taint: Taint): boolean =>
  wanted.key === taint.key && (wanted.effect === "" || wanted.effect === taint.effect)

const taintText = ({ effect, key, value }: Taint): string => {
  if (effect === "") return key
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`
}

export interface Retainted {
  readonly taints: ReadonlyArray<Taint>
  readonly operation: "tainted" | "untainted" | "modified"
}

/** Returns the taints of a node after the changes, and the verb of the output line. Upstream: reorganizeTaints. */
export const changeTaints = (
  { metadata, spec }: Node,
  { add, remove }: TaintChanges,
  overwrite: boolean
): Result.Result<Retainted, ReadonlyArray<string>> => {
  const old = spec?.taints ?? []
  const existing = add.filter((taint) => old.some((other) => sameTaint(other, taint)))
  if (existing.length > 0 && !overwrite) {
    const keys = existing.map(({ key }) => key).join(",")
    return Result.fail([
      `node ${metadata.name} already has ${keys} taint(s) with same effect(s) and --overwrite is false`
    ])
  }
  const all = [...add, ...old.filter((taint) => !add.some((other) => sameTaint(other, taint)))]
  const missing = remove.filter((gone) => !all.some((taint) => matches(gone, taint)))
  if (missing.length > 0) {
    return Result.fail(missing.map((taint) => `taint ${JSON.stringify(taintText(taint))} not found`))
  }
  const taints = all.filter((taint) => !remove.some((gone) => matches(gone, taint)))
  const added = all.length !== old.length
  const deleted = taints.length !== all.length
  const operation = (added && deleted) || overwrite ? "modified" : added ? "tainted" : "untainted"
  return Result.succeed({ taints, operation })
}
