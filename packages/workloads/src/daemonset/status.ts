import { type DaemonSetStatus, isPodReady } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { unlessZero } from "../unlessZero.ts"
import { type DaemonInput, isUpdated } from "./plan.ts"

/**
 * The status of a DaemonSet. If a node has several pods, only the first one counts: see `podsByNode`. `observed` says
 * whether the current generation has been processed. Upstream: pkg/controller/daemon/daemon_controller.go
 * updateDaemonSetStatus.
 */
export const daemonSetStatus = (
  { eligibilityOf, hash, nodes, nowMs, pods, set }: DaemonInput,
  collisionCount: number,
  observed: boolean
): DaemonSetStatus => {
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0]
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  for (const node of nodes) {
    const pod = pods.get(node.metadata.name ?? "")?.[0]
    if (!eligibilityOf(node).shouldRun) {
      if (pod !== undefined) misscheduled++
      continue
    }
    desired++
    if (pod === undefined) continue
    current++
    if (isUpdated(pod, hash)) updated++
    if (!isPodReady(pod)) continue
    ready++
    if (isPodAvailable(pod, minReadySeconds, nowMs)) available++
  }
  const { conditions, observedGeneration = 0 } = set.status ?? {}
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...unlessZero("observedGeneration", observed ? (set.metadata.generation ?? 0) : observedGeneration),
    ...unlessZero("updatedNumberScheduled", updated),
    ...unlessZero("numberAvailable", available),
    ...unlessZero("numberUnavailable", desired - available),
    ...unlessZero("collisionCount", collisionCount),
    ...(conditions === undefined ? {} : { conditions })
  }
}
