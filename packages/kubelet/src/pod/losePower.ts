import { hasContainers } from "./PodDecision.ts"
import { isTerminal } from "./PodPhase.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Resets a pod whose machine lost power, and with it every container. */
export const losePower = (record: PodRecord): void => {
  // The kubelet's own decision to kill the pod is lost with its memory, unless it was written to the API.
  const isKillLost = record.ending?.kill !== undefined && !isTerminal(record.pod.status?.phase)
  if (isKillLost && record.stage === "stopped") record.status = record.pod.status ?? record.status
  record.ending = undefined
  record.lifecycle = undefined
  if (record.restartsAfterPowerLoss && !hasContainers(record.stage)) {
    record.stage = "new"
    record.status = {}
    return
  }
  if (!hasContainers(record.stage) && !isKillLost) return
  record.stage = record.containers.regular.some(({ containerID }) => containerID !== undefined) ? "lost" : "new"
}
