import { type CronJob, type Job, utc, wallClockAt, type Zone, zoneOf } from "@rollcall/api"

/** The annotation with the time for which a job was started. Upstream: batch/v1 CronJobScheduledTimestampAnnotation. */
const SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp"

const two = (value: number): string => String(value).padStart(2, "0")

/** Formats as Go's RFC3339: with `Z` or the zone's offset. */
const formatInZone = (zone: Zone, time: number): string => {
  const { day, hour, minute, month, second, year } = wallClockAt(zone, time)
  const minutes = Math.trunc(zone.offsetAt(time) / 60_000)
  const size = Math.abs(minutes)
  const offset = minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${offset}`
}

/** The name of the job for a start: one name a minute, so that no start gets two jobs. */
export const jobNameAt = ({ metadata }: CronJob, time: number): string =>
  `${metadata.name}-${Math.trunc(time / 60_000)}`

/**
 * Returns the job that a CronJob starts for a scheduled time, in milliseconds since the epoch.
 * Upstream: pkg/controller/cronjob/utils.go getJobFromTemplate2.
 */
export const jobAt = (cronJob: CronJob, time: number): Job => {
  const { jobTemplate, timeZone = "" } = cronJob.spec
  const { annotations, labels } = jobTemplate.metadata ?? {}
  const { name = "", namespace, uid = "" } = cronJob.metadata
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameAt(cronJob, time),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels },
      annotations: { ...annotations, [SCHEDULED_TIMESTAMP]: formatInZone(zoneOf(timeZone) ?? utc, time) },
      ownerReferences: [owner]
    },
    spec: jobTemplate.spec
  }
}
