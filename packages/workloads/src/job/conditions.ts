import { formatTime, type Job, type JobCondition } from "@rollcall/api"
import type { Verdict } from "./verdict.ts"

export type Conditions = ReadonlyArray<JobCondition>
type Said = Pick<JobCondition, "type" | "status" | "reason" | "message">

/** The conditions with this one said; one that says the same stays, times and all. Upstream: ensureJobConditionStatus. */
const saying = (conditions: Conditions, said: Said, nowMs: number): Conditions => {
  const known = conditions.find(({ type }) => type === said.type)
  if (known?.status === said.status && known.reason === said.reason && known.message === said.message) {
    return conditions
  }
  const at = formatTime(nowMs)
  const next = { ...said, lastProbeTime: at, lastTransitionTime: at }
  return known === undefined ? [...conditions, next] : conditions.map((other) => (other === known ? next : other))
}

/** Says what the job is heading for. Its end is said when nothing of it is left. */
export const sayingTarget = (
  conditions: Conditions,
  { failed, message, reason }: Verdict,
  nowMs: number
): Conditions => {
  const type = failed ? "FailureTarget" : "SuccessCriteriaMet"
  // What was said first stays said.
  if (conditions.some((condition) => condition.type === type && condition.status === "True")) return conditions
  return saying(conditions, { type, status: "True", reason, message }, nowMs)
}

export const sayingEnd = (conditions: Conditions, { failed, message, reason }: Verdict, nowMs: number): Conditions =>
  saying(conditions, { type: failed ? "Failed" : "Complete", status: "True", reason, message }, nowMs)

export interface Suspension {
  readonly conditions: Conditions
  /** The reason and message of an Event. */
  readonly tell: ReadonlyArray<readonly [reason: string, message: string]>
  /** The job's clock begins anew. */
  readonly resumed: boolean
}

/** Notes that the job is suspended, or no longer so. */
export const suspensionOf = ({ spec }: Job, conditions: Conditions, nowMs: number): Suspension => {
  const isSuspended = spec.suspend === true
  const known = conditions.find(({ type }) => type === "Suspended")
  if (!isSuspended && known?.status !== "True") return { conditions, tell: [], resumed: false }
  const said: Said = isSuspended
    ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }
  const changed = saying(conditions, said, nowMs)
  if (changed === conditions) return { conditions, tell: [], resumed: false }
  return {
    conditions: changed,
    tell: [isSuspended ? ["Suspended", "Job suspended"] : ["Resumed", "Job resumed"]],
    resumed: !isSuspended
  }
}
