import * as Result from "effect/Result"
import { parseCronSchedule } from "../cron/CronSchedule.ts"
import { zoneFault, zoneOf } from "../cron/Zone.ts"
import type { CronJob, CronJobSpec } from "../objects/CronJob.ts"
import type { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { validateJobSpec } from "./job.ts"
import { shownSelector } from "./labels.ts"
import { makeRules } from "./makeRules.ts"

/** A job's name is that of its CronJob with eleven more characters, and has at most 63. */
const MAX_NAME = 52
const policies = ["Allow", "Forbid", "Replace"]

const checkSchedule = (errors: ErrorList, { schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined) => {
  const at = "spec.schedule"
  if (!schedule) return errors.required(at)
  const parsed = parseCronSchedule(schedule)
  if (Result.isFailure(parsed)) errors.invalid(at, schedule, parsed.failure)
  if (!schedule.includes("TZ")) return
  if (old?.schedule?.includes("TZ") !== true) {
    errors.invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
  } else if (timeZone !== undefined) {
    errors.invalid(at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
  }
}

/** The parts of the names of zones. Upstream links https://data.iana.org/time-zones/theory.html#naming. */
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/

const checkTimeZone = (errors: ErrorList, timeZone: string) => {
  const at = "spec.timeZone"
  if (timeZone === "") return errors.invalid(at, typed(timeZone), "timeZone must be nil or non-empty string")
  const isMalformed = timeZone
    .split("/")
    .some((part) => part === "." || part === ".." || part.startsWith("-") || !zonePart.test(part))
  if (isMalformed) return errors.invalid(at, typed(timeZone), `unknown time zone ${timeZone}`)
  if (timeZone.toLowerCase() === "local") {
    const page = "https://www.iana.org/time-zones"
    errors.invalid(at, typed(timeZone), `timeZone must be an explicit time zone as defined in ${page}`)
  }
  if (timeZone !== "Local" && zoneOf(timeZone) === undefined) errors.invalid(at, typed(timeZone), zoneFault(timeZone))
}

const checkJobs = (errors: ErrorList, { jobTemplate }: CronJobSpec): void => {
  const at = "spec.jobTemplate.spec"
  errors.append(
    validateJobSpec(jobTemplate?.spec ?? {}).map((error) => ({ ...error, field: error.field.replace("spec", at) }))
  )
  const { manualSelector, selector } = jobTemplate?.spec ?? {}
  if (selector !== undefined) {
    errors.invalid(`${at}.selector`, shownSelector(selector), "`selector` will be auto-generated")
  }
  if (manualSelector === true) errors.notSupported(`${at}.manualSelector`, manualSelector, ["nil", "false"])
}

const checkSpec = (errors: ErrorList, spec: CronJobSpec, old: CronJobSpec | undefined): void => {
  const { concurrencyPolicy: policy = "", timeZone } = spec
  checkSchedule(errors, spec, old)
  errors.nonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds)
  if (timeZone !== undefined && (old === undefined || old.timeZone !== timeZone)) checkTimeZone(errors, timeZone)
  if (policy === "") errors.required("spec.concurrencyPolicy")
  else if (!policies.includes(policy)) errors.notSupported("spec.concurrencyPolicy", policy, policies)
  checkJobs(errors, spec)
  errors.nonNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit)
  errors.nonNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit)
}

/** Upstream: pkg/apis/batch/validation/validation.go, ValidateCronJobCreate and ValidateCronJobUpdate. */
const rules = makeRules<CronJob>("Namespaced", {
  onUpdate: "change",
  check: (errors, { metadata: { name = "" }, spec }, old) => {
    checkSpec(errors, spec ?? {}, old?.spec)
    if (old === undefined && name.length > MAX_NAME) {
      errors.invalid("metadata.name", name, `must be no more than ${MAX_NAME} characters`)
    }
  }
})

const noErrors: FieldErrors = []

/** A status may have any content, and metadata is only checked as that of every kind. */
export const cronJobRules = { ...rules, updateStatus: () => noErrors }
