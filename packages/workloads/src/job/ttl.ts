import { type DeleteOptions, type Job, parseTime } from "@rollcall/api"
import { isFinished } from "./verdict.ts"

/**
 * When a finished job is to be deleted, in milliseconds since the epoch; undefined if it has not finished, is
 * terminating, or has no TTL. Upstream: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
 */
export const removalTimeOf = (job: Job): number | undefined => {
  const { metadata, spec, status } = job
  if (spec.ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined || !isFinished(job)) {
    return undefined
  }
  const end = status?.conditions?.find(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True"
  )
  if (end?.lastTransitionTime === undefined) return undefined
  return parseTime(end.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000
}

/** The options to delete a finished job with its pods; the uid precondition protects a new job with the same name. */
export const removalOptions = ({ metadata: { uid = "" } }: Job): DeleteOptions => ({
  propagationPolicy: "Foreground",
  preconditions: { uid }
})
