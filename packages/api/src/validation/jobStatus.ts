import type { Job, JobStatus } from "../objects/Job.ts"
import { parseTime } from "../Time.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, omittedValue, typed } from "./FieldError.ts"
import { internalJson } from "./goDiff.ts"
import { countIndexes, firstSharedIndex } from "./jobPolicies.ts"
import { validateObjectMetaUpdate } from "./metadata.ts"
import { semanticEqual } from "./semanticEqual.ts"

/*
 * Updates of the status of a job: what a controller may say of it. A rule applies only where the fields that it reads
 * have changed. Upstream: pkg/apis/batch/validation/validation.go, ValidateJobStatusUpdate;
 * pkg/registry/batch/job/strategy.go, getStatusValidationOptions.
 */

type ConditionType = NonNullable<JobStatus["conditions"]>[number]["type"]

const isTrue = ({ conditions = [] }: JobStatus, type: ConditionType): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "True")

const isFalse = ({ conditions = [] }: JobStatus, type: ConditionType): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "False")

/** What a status says of the end of its job. */
const endOf = (status: JobStatus) => ({
  complete: isTrue(status, "Complete"),
  failed: isTrue(status, "Failed"),
  target: isTrue(status, "FailureTarget"),
  criteria: isTrue(status, "SuccessCriteriaMet"),
  finished: isTrue(status, "Complete") || isTrue(status, "Failed")
})

const counters = ["active", "succeeded", "failed", "ready", "terminating"] as const

const checkCounters = (errors: ErrorList, status: JobStatus): void => {
  for (const field of counters) errors.nonNegative(`status.${field}`, status[field])
  const seen = new Set<string>()
  for (const list of ["succeeded", "failed"] as const) {
    status.uncountedTerminatedPods?.[list]?.forEach((uid, index) => {
      const path = `status.uncountedTerminatedPods.${list}[${index}]`
      if (uid === "") errors.invalid(path, uid, "must not be empty")
      else if (seen.has(uid)) errors.duplicate(path, typed(uid))
      seen.add(uid)
    })
  }
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseTime(text))

/** A status before and after a write, and how to report what is wrong with it. */
class Transition {
  readonly spec: Job["spec"]
  readonly status: JobStatus
  readonly old: JobStatus
  readonly now: ReturnType<typeof endOf>
  readonly before: ReturnType<typeof endOf>
  readonly errors: ErrorList

  constructor(errors: ErrorList, { spec, status = {} }: Job, { status: old = {} }: Job) {
    this.errors = errors
    this.spec = spec
    this.status = status
    this.old = old
    this.now = endOf(status)
    this.before = endOf(old)
  }

  changed(...fields: ReadonlyArray<keyof JobStatus>): boolean {
    const { old, status } = this
    // Go has a pointer to the failed indexes: an empty text is no absent one.
    const isSame = (field: keyof JobStatus) =>
      field === "failedIndexes" ? status[field] === old[field] : semanticEqual(status[field], old[field])
    return !fields.every(isSame)
  }

  /** Whether the job came to such an end, or left it. */
  turned(...ends: ReadonlyArray<keyof ReturnType<typeof endOf>>): boolean {
    return ends.some((end) => this.now[end] !== this.before[end])
  }

  condition(applies: boolean, detail: string): void {
    if (applies) this.errors.invalid("status.conditions", omittedValue, detail)
  }

  invalid(applies: boolean, field: keyof JobStatus, detail: string): void {
    const value = this.status[field]
    const isCounts = field === "uncountedTerminatedPods" && typeof value === "object"
    const shown = isCounts ? internalJson("batch.v1.UncountedTerminatedPods", value) : value
    if (applies) this.errors.invalid(`status.${field}`, shown, detail)
  }

  required(applies: boolean, field: keyof JobStatus): void {
    const whose = field === "startTime" ? "finished job" : "Complete jobs"
    if (applies) this.errors.required(`status.${field}`, `${field} is required for ${whose}`)
  }
}

const checkEnd = (one: Transition): void => {
  const { now, status } = one
  const { completionTime, startTime } = status
  const { complete, criteria, failed, target } = now
  one.condition(
    one.turned("complete", "failed") && complete && failed,
    "cannot set Complete=True and Failed=true conditions"
  )
  one.condition(
    one.turned("complete", "target") && complete && target,
    "cannot set Complete=True and FailureTarget=true conditions"
  )
  const timed = one.turned("complete") || one.changed("completionTime")
  const timeDetail = "cannot set completionTime when there is no Complete=True condition"
  one.invalid(timed && completionTime !== undefined && !complete, "completionTime", timeDetail)
  one.required(timed && completionTime === undefined && complete, "completionTime")
  const [start, end] = [timeOf(startTime), timeOf(completionTime)]
  const isEarly = start !== undefined && end !== undefined && end < start
  one.invalid(
    one.changed("startTime", "completionTime") && isEarly,
    "completionTime",
    "must be equal to or after `startTime`"
  )
  const failing = one.turned("failed") || one.changed("failedIndexes")
  one.condition(
    failing && failed && !target,
    "cannot set Failed=True condition without the FailureTarget=true condition"
  )
  const met = one.turned("complete", "criteria") && complete && !criteria
  one.condition(met, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
}

const checkPods = (one: Transition): void => {
  const {
    now: { finished },
    spec,
    status
  } = one
  const { active = 0, ready, startTime, terminating = 0 } = status
  const ended = one.turned("finished")
  one.invalid(
    (ended || one.changed("active")) && active > 0 && finished,
    "active",
    "active>0 is invalid for finished job"
  )
  const isEmpty = spec.suspend === true && spec.completions === 0
  one.required((ended || one.changed("startTime")) && !isEmpty && startTime === undefined && finished, "startTime")
  const uncounted = Object.values(status.uncountedTerminatedPods ?? {}).flat().length
  const counts = (ended || one.changed("uncountedTerminatedPods")) && finished && uncounted > 0
  one.invalid(counts, "uncountedTerminatedPods", "must be empty for finished job")
  checkIndexes(one)
  const ends = (ended || one.changed("terminating")) && terminating > 0 && finished
  one.invalid(ends, "terminating", "terminating>0 is invalid for finished job")
  const isMore = one.changed("ready", "active") && ready !== undefined && ready > active
  one.invalid(isMore, "ready", "cannot set more ready pods than active")
}

const checkIndexes = (one: Transition): void => {
  const { spec, status } = one
  for (const field of ["completedIndexes", "failedIndexes"] as const) {
    const indexes = status[field]
    if (spec.completions === undefined || indexes === undefined || !one.changed(field)) continue
    if (field === "failedIndexes" && spec.backoffLimitPerIndex === undefined) continue
    const counted = countIndexes(indexes, spec.completions)
    if (typeof counted !== "string") continue
    const shown = field === "failedIndexes" ? typed(indexes) : indexes
    one.errors.invalid(`status.${field}`, shown, `error parsing ${field}: ${counted}`)
  }
  const isIndexed = spec.completionMode === "Indexed"
  const completed = one.changed("completedIndexes") && Boolean(status.completedIndexes) && !isIndexed
  one.invalid(completed, "completedIndexes", "cannot set non-empty completedIndexes when non-indexed completion mode")
  const failed = one.changed("failedIndexes") && status.failedIndexes !== undefined
  const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
  one.invalid(failed && spec.backoffLimitPerIndex === undefined, "failedIndexes", detail)
  checkOverlap(one)
}

const checkOverlap = (one: Transition): void => {
  const { completedIndexes = "", failedIndexes } = one.status
  const { completions } = one.spec
  if (completions === undefined || failedIndexes === undefined) return
  if (!one.changed("completedIndexes", "failedIndexes")) return
  const shared = firstSharedIndex(completedIndexes, failedIndexes, completions)
  const detail = `failedIndexes and completedIndexes overlap at index: ${shared}`
  one.invalid(shared !== undefined, "failedIndexes", detail)
}

const checkTransition = (one: Transition): void => {
  checkEnd(one)
  checkPods(one)
  const { complete, criteria, failed, target } = one.now
  one.condition(criteria && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions")
  one.condition(criteria && target, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
  const isUnmet = one.spec.successPolicy !== undefined && !criteria && complete
  one.condition(isUnmet, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
}

const terminal = ["Failed", "Complete", "FailureTarget"] as const

const checkProgress = (errors: ErrorList, { spec, status = {} }: Job, { status: old = {} }: Job): void => {
  const condition = (detail: string) => errors.invalid("status.conditions", omittedValue, detail)
  for (const type of terminal) {
    if (isTrue(old, type) && !isTrue(status, type)) condition(`cannot disable the terminal ${type}=True condition`)
  }
  const scales = spec.completionMode === "Indexed" && spec.completions === spec.parallelism
  for (const field of scales ? (["failed"] as const) : (["failed", "succeeded"] as const)) {
    if ((status[field] ?? 0) < (old[field] ?? 0)) {
      errors.invalid(`status.${field}`, status[field] ?? 0, `cannot decrease the ${field} counter`)
    }
  }
  const { completionTime, startTime } = status
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime) {
    errors.invalid("status.completionTime", completionTime, "field is immutable")
  }
  const resumes = isTrue(old, "Suspended") && isFalse(status, "Suspended")
  if (old.startTime !== undefined && startTime !== old.startTime && spec.suspend !== true && !resumes) {
    errors.invalid("status.startTime", startTime, "field is immutable for unsuspended job once set")
  }
  const met = isTrue(status, "SuccessCriteriaMet")
  if (isTrue(old, "SuccessCriteriaMet")) {
    if (!met) condition("cannot disable the SuccessCriteriaMet=True condition")
  } else if (isTrue(old, "Complete") && met) {
    condition("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
  }
}

export const validateJobStatusUpdate = (job: Job, old: Job): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, job.metadata, old.metadata, { standardFinalizers: true })
  checkCounters(errors, job.status ?? {})
  checkTransition(new Transition(errors, job, old))
  checkProgress(errors, job, old)
  return errors.all
}
