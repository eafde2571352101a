import type { ContainerStatus, FeatureGates } from "@rollcall/api"
import { type FamilySnapshot, familiesText, type Sample } from "@rollcall/time"
import type { LifeCountName, LifeCounts } from "../status/LifeCounts.ts"
import type { ServedPod } from "./streams/containerRun.ts"

/*
 * Metrics of a kubelet that are counted when they are read, so that a modelled one keeps none.
 */

const family = (
  name: string,
  help: string,
  samples: ReadonlyArray<Sample>,
  type: "counter" | "gauge" = "gauge"
): FamilySnapshot => ({ name, help, type, samples })

const stateOf = ({ state = {} }: ContainerStatus): string =>
  state.running !== undefined ? "running" : state.terminated !== undefined ? "exited" : "created"

/** Returns the statuses of all containers of a pod. */
export const statusesOf = ({ status }: ServedPod): ReadonlyArray<ContainerStatus> => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? [])
]

const lives: ReadonlyArray<readonly [name: LifeCountName, help: string, labels: ReadonlyArray<string>]> = [
  [
    "started_containers_errors_total",
    "[ALPHA] Cumulative number of errors when starting containers",
    ["container_type", "code"]
  ],
  ["started_containers_total", "[ALPHA] Cumulative number of containers started", ["container_type"]],
  ["started_pods_errors_total", "[ALPHA] Cumulative number of errors when starting pods", []],
  ["started_pods_total", "[ALPHA] Cumulative number of pods started", []],
  [
    "started_user_namespaced_pods_errors_total",
    "[ALPHA] Cumulative number of errors when starting pods with user namespaces. This metric will only be collected on Linux.",
    []
  ],
  [
    "started_user_namespaced_pods_total",
    "[ALPHA] Cumulative number of pods with user namespaces started. This metric will only be collected on Linux.",
    []
  ],
  [
    "terminated_containers_total",
    "[ALPHA] Cumulative number of container terminations.",
    ["container_type", "exit_code", "reason"]
  ]
]

/** Returns the families of what has happened to pods. Those without labels are there from the start, if their feature is on. */
const livesOf = (counts: LifeCounts, { UserNamespacesSupport }: FeatureGates): ReadonlyArray<FamilySnapshot> =>
  lives.flatMap(([name, help, names]) => {
    if (name.startsWith("started_user_namespaced") && !UserNamespacesSupport) return []
    const counted = counts.of(name).map(
      ({ labels, value }): Sample => ({
        labels: labels.map((label, index) => [names[index] ?? "", label]),
        value
      })
    )
    const samples = counted.length === 0 && names.length === 0 ? [{ labels: [], value: 0 }] : counted
    return samples.length === 0 ? [] : [family(`kubelet_${name}`, help, samples, "counter")]
  })

/** Returns the part of `/metrics` that has the node and its pods. Upstream: pkg/kubelet/metrics/metrics.go. */
export const podCounts = (
  nodeName: string,
  pods: ReadonlyArray<ServedPod>,
  counts: LifeCounts,
  gates: FeatureGates
): string => {
  const states = new Map<string, number>()
  for (const status of pods.flatMap(statusesOf)) {
    const state = stateOf(status)
    states.set(state, (states.get(state) ?? 0) + 1)
  }
  const running = pods.filter((pod) => statusesOf(pod).some(({ state }) => state?.running !== undefined))
  const containers = [...states].toSorted().map(
    ([state, value]): Sample => ({
      labels: [["container_state", state]],
      value
    })
  )
  return familiesText([
    family("kubelet_node_name", "[ALPHA] The node's name. The count is always 1.", [
      { labels: [["node", nodeName]], value: 1 }
    ]),
    ...(containers.length === 0
      ? []
      : [family("kubelet_running_containers", "[ALPHA] Number of containers currently running", containers)]),
    family("kubelet_running_pods", "[ALPHA] Number of pods that have a running pod sandbox", [
      { labels: [], value: running.length }
    ]),
    ...livesOf(counts, gates)
  ])
}
