import { type DeleteOptions, type Job, parseTime } from "@rollcall/api"
import { isFinished } from "./verdict.ts"

/**
 * When a job that is over is to be removed, in milliseconds since the epoch; undefined when it is not over, is on its way out, or may
 * stay. Upstream: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
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

/** By which a job that is over is removed with its pods: that very job, not one that has taken its name. */
export const removalOptions = ({ metadata: { uid = "" } }: Job): DeleteOptions => ({
  propagationPolicy: "Foreground",
  preconditions: { uid }
})
