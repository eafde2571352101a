import { formatTime, type Job, type JobCondition } from "@rollcall/api"
import type { Verdict } from "./verdict.ts"

export type Conditions = ReadonlyArray<JobCondition>
type ConditionFields = Pick<JobCondition, "type" | "status" | "reason" | "message">

/** Sets a condition. An equal one stays, with its times. Upstream: ensureJobConditionStatus. */
const withCondition = (conditions: Conditions, fields: ConditionFields, nowMs: number): Conditions => {
  const known = conditions.find(({ type }) => type === fields.type)
  if (known?.status === fields.status && known.reason === fields.reason && known.message === fields.message) {
    return conditions
  }
  const at = formatTime(nowMs)
  const next = { ...fields, lastProbeTime: at, lastTransitionTime: at }
  return known === undefined ? [...conditions, next] : conditions.map((other) => (other === known ? next : other))
}

/**
 * Sets the condition that says how the job is about to finish. An earlier one stays. The final condition follows when
 * no pods are left.
 */
export const withTargetCondition = (
  conditions: Conditions,
  { failed, message, reason }: Verdict,
  nowMs: number
): Conditions => {
  const type = failed ? "FailureTarget" : "SuccessCriteriaMet"
  if (conditions.some((condition) => condition.type === type && condition.status === "True")) return conditions
  return withCondition(conditions, { type, status: "True", reason, message }, nowMs)
}

/** Sets the condition Complete or Failed. */
export const withFinalCondition = (
  conditions: Conditions,
  { failed, message, reason }: Verdict,
  nowMs: number
): Conditions =>
  withCondition(conditions, { type: failed ? "Failed" : "Complete", status: "True", reason, message }, nowMs)

/** The result of setting the condition Suspended. */
export interface Suspension {
  readonly conditions: Conditions
  /** The Events to record. */
  readonly events: ReadonlyArray<readonly [reason: string, message: string]>
  /** What becomes of the job: its start time is reset if it is resumed, and forgotten if it is suspended. */
  readonly turn?: "resumed" | "suspended"
}

/** Sets the condition Suspended by the job's `suspend`; a job that was never suspended gets none. */
export const suspensionOf = ({ spec }: Job, conditions: Conditions, nowMs: number): Suspension => {
  const isSuspended = spec.suspend === true
  const known = conditions.find(({ type }) => type === "Suspended")
  if (!isSuspended && known?.status !== "True") return { conditions, events: [] }
  const fields: ConditionFields = isSuspended
    ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }
  const changed = withCondition(conditions, fields, nowMs)
  if (changed === conditions) return { conditions, events: [] }
  return {
    conditions: changed,
    events: [isSuspended ? ["Suspended", "Job suspended"] : ["Resumed", "Job resumed"]],
    turn: isSuspended ? "suspended" : "resumed"
  }
}
