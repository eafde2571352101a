import { type CronJob, type CronSchedule, goQuote, parseCronSchedule, zoneOf } from "@rollcall/api"
import type * as Result from "effect/Result"

/** The schedule of a CronJob as it is parsed, and the text of the warning if that is not supported. */
export interface ScheduleOfCronJob {
  /** Fails with the parser's text. */
  readonly schedule: Result.Result<CronSchedule, string>
  readonly warning?: string
}

const PAGE = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"

/**
 * Reads the schedule of a CronJob in its time zone. A zone in the schedule's text wins; an unknown zone is left out.
 * Upstream: pkg/controller/cronjob/cronjob_controllerv2.go formatSchedule.
 */
export const scheduleOf = ({ spec }: Pick<CronJob, "spec">): ScheduleOfCronJob => {
  const { schedule, timeZone } = spec
  if (schedule.includes("TZ")) {
    const warning = `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, see ${PAGE} for more details`
    return { schedule: parseCronSchedule(schedule), warning }
  }
  const isZoned = timeZone !== undefined && zoneOf(timeZone) !== undefined
  return { schedule: parseCronSchedule(isZoned ? `TZ=${timeZone} ${schedule}` : schedule) }
}
