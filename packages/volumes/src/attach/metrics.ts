import * as Metric from "effect/Metric"

/** The doubled prefix is upstream's. */
const forcedDetaches = Metric.counter("attach_detach_controller_attachdetach_controller_forced_detaches", {
  description: "[ALPHA] Number of times the A/D Controller performed a forced detach",
  incremental: true
})
export const forcedDetach = (reason: "timeout" | "out-of-service") =>
  Metric.update(Metric.withAttributes(forcedDetaches, { reason }), 1)
