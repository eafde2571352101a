import type { Release } from "@rollcall/api"
import { gauge, MetricSet } from "@rollcall/time"
import { addProcessMetrics } from "./processFamilies.ts"

/** Upstream: component-base/metrics/version.go. */
export const buildInfo = gauge("kubernetes_build_info", "BETA", "What the program was built from; the value is 1.", [
  "build_date",
  "compiler",
  "git_commit",
  "git_tree_state",
  "git_version",
  "go_version",
  "major",
  "minor",
  "platform"
])

/** Returns the metrics that every program has: its process and its version. Its client adds those of requests. */
export const componentMetrics = ({ version }: Release): MetricSet => {
  const set = new MetricSet()
  const [major = "", minor = ""] = version.replace(/^v/, "").split(".")
  const labels = {
    build_date: "1970-01-01T00:00:00Z",
    compiler: "node",
    git_commit: "",
    git_tree_state: "",
    git_version: `${version.startsWith("v") ? version : `v${version}`}+rollcall`,
    go_version: "",
    major,
    minor,
    platform: "linux/amd64"
  }
  set.read(buildInfo, () => [[labels, 1]])
  addProcessMetrics(set)
  return set
}
