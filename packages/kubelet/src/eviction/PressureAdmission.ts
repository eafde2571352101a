import { findToleration, type Pod, qosClassOf, type Taint, taintMemoryPressure } from "@rollcall/api"
import { judgingAlone, type PodAdmitHandler, type PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { PressureKind } from "../node/Conditions.ts"
import { isCriticalPod } from "../pod/CriticalPod.ts"

/** `status.reason` of a pod that was evicted, or refused, because of node pressure. */
export const evicted = "Evicted"

const memoryPressure: Taint = { key: taintMemoryPressure, effect: "NoSchedule" }

/**
 * Returns why a node with these conditions refuses a pod, or undefined if it does not. Critical pods are never refused.
 * Under memory pressure alone, only BestEffort pods that do not tolerate it are refused. Upstream:
 * pkg/kubelet/eviction/eviction_manager.go Admit.
 */
export const pressureRefusal = (
  conditions: ReadonlyArray<PressureKind>,
  pod: Pod,
  podLevelResources = true
): PodRefusal | undefined => {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined
  if (conditions.length === 1 && conditions[0] === "MemoryPressure") {
    if (qosClassOf(pod, { podLevelResources }) !== "BestEffort") return undefined
    if (findToleration(pod.spec.tolerations, memoryPressure) !== undefined) return undefined
  }
  return { reason: evicted, message: `The node had condition: [${conditions.join(" ")}]. ` }
}

/** Returns the admit handler for node pressure. `conditions` returns the node's current conditions, sorted. */
export const pressureAdmission = (
  conditions: () => ReadonlyArray<PressureKind>,
  podLevelResources: boolean
): PodAdmitHandler => judgingAlone((pod) => pressureRefusal(conditions(), pod, podLevelResources))
