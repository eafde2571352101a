import { type CronJob, type Job, parseTime } from "@rollcall/api"

const isTrue = ({ status }: Job, type: "Complete" | "Failed"): boolean =>
  status?.conditions?.find((condition) => isFinal(condition.type) && condition.status === "True")?.type === type

const isFinal = (type: string): boolean => type === "Complete" || type === "Failed"

const startOf = ({ status }: Job): number =>
  status?.startTime === undefined ? Number.POSITIVE_INFINITY : parseTime(status.startTime)

const byStart = (left: Job, right: Job): number => {
  const [first, second] = [startOf(left), startOf(right)]
  if (first !== second) return first < second ? -1 : 1
  const [name = "", other = ""] = [left.metadata.name, right.metadata.name]
  return name < other ? -1 : 1
}

const oldest = (jobs: ReadonlyArray<Job>, limit: number | undefined): ReadonlyArray<Job> =>
  limit === undefined || jobs.length <= limit ? [] : [...jobs].sort(byStart).slice(0, jobs.length - limit)

/**
 * Returns the finished jobs of a CronJob beyond its history limits, in the order in which they are deleted: those that
 * started first, the successful ones before the failed ones. Upstream: cleanupFinishedJobs, byJobStartTime.
 */
export const jobsBeyondHistory = ({ spec }: CronJob, jobs: ReadonlyArray<Job>): ReadonlyArray<Job> => [
  ...oldest(
    jobs.filter((job) => isTrue(job, "Complete")),
    spec.successfulJobsHistoryLimit
  ),
  ...oldest(
    jobs.filter((job) => isTrue(job, "Failed")),
    spec.failedJobsHistoryLimit
  )
]
