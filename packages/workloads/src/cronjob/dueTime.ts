import { type CronJob, type CronSchedule, NEVER, nextTime, parseTime } from "@rollcall/api"

/** How many starts a CronJob has missed: more than 100 are `many`. */
export type Missed = "none" | "few" | "many"

/** The latest start of a CronJob that is due. Times are milliseconds since the epoch. */
export interface DueTime {
  /** The time from which starts are counted. */
  readonly earliest: number
  /** The start that is due; undefined if none is. */
  readonly due: number | undefined
  readonly missed: Missed
  /** Set if the schedule never starts anything. */
  readonly error?: string
}

const MANY = 100

/** The padding of the next sync, against clocks that differ. Upstream: nextScheduleDelta. */
const PADDING_MS = 100

/** The shortest span of Go: the smallest 64-bit count of nanoseconds, in milliseconds. */
const MIN_DURATION_MS = Number(-(2n ** 63n)) / 1e6

const earliestStart = ({ metadata, spec, status }: CronJob, now: number, withDeadline: boolean): number => {
  const from = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "")
  if (!withDeadline || spec.startingDeadlineSeconds === undefined) return from
  return Math.max(from, now - spec.startingDeadlineSeconds * 1000)
}

/** The last start that is not after now, from a time near it on. */
const lastStart = (schedule: CronSchedule, from: number, now: number): number | undefined => {
  let last: number | undefined
  for (let time = nextTime(schedule, from); time <= now && time !== NEVER; time = nextTime(schedule, time)) last = time
  return last
}

/**
 * Returns the latest start of a CronJob that is not after now, since its last one or its creation. The starting deadline
 * counts only if asked for. Upstream: pkg/controller/cronjob/utils.go mostRecentScheduleTime.
 */
export const dueTime = (cronJob: CronJob, schedule: CronSchedule, now: number, withDeadline = true): DueTime => {
  const earliest = earliestStart(cronJob, now, withDeadline)
  const first = nextTime(schedule, earliest)
  const second = nextTime(schedule, first)
  if (now < first) return { earliest, due: undefined, missed: "none" }
  if (now < second) return { earliest, due: first, missed: "none" }
  const period = Math.round((second - first) / 1000)
  if (period < 1) {
    const error = "time difference between two schedules is less than 1 second"
    return { earliest, due: undefined, missed: "none", error }
  }
  const count = Math.floor(Math.floor((now - first) / 1000) / period) + 1
  // Two periods before the latest start, because a schedule's periods differ: `30 6-16/4 * * 1-5`.
  const due = lastStart(schedule, first + (count - 2) * period * 1000, now)
  return { earliest, due, missed: count > MANY ? "many" : "few" }
}

/**
 * Returns the milliseconds from now until the CronJob is to be synced for its next start.
 * Upstream: nextScheduleTimeDuration.
 */
export const untilNextStart = (cronJob: CronJob, schedule: CronSchedule, now: number): number => {
  const { due, earliest, error, missed } = dueTime(cronJob, schedule, now, false)
  const from = due ?? (missed === "none" && error === undefined ? earliest : now)
  return Math.max(nextTime(schedule, from) + PADDING_MS - now, MIN_DURATION_MS)
}
