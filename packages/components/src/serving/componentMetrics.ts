import { buildLabels, buildLabelsOf, type Release, versionInfo } from "@rollcall/api"
import { gauge, MetricSet } from "@rollcall/time"
import { addProcessMetrics } from "./processFamilies.ts"

export const buildInfo = gauge(
  "kubernetes_build_info",
  "BETA",
  "What the program was built from; the value is 1.",
  buildLabels
)

/** Returns the metrics that every program has: its process and its version. Its client adds those of requests. */
export const componentMetrics = ({ version }: Release): MetricSet => {
  const set = new MetricSet()
  set.read(buildInfo, () => [[buildLabelsOf(versionInfo(version)), 1]])
  addProcessMetrics(set)
  return set
}
