import { hasContainers } from "./PodDecision.ts"
import { isTerminal } from "./PodPhase.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Resets a pod whose machine lost power, and with it every container. */
export const losePower = (record: PodRecord): void => {
  // The kubelet's own kill is lost, unless it was written to the API.
  const isForgotten = record.ending?.kill !== undefined && !isTerminal(record.pod.status?.phase)
  if (isForgotten && record.stage === "stopped") record.status = record.pod.status ?? record.status
  record.ending = undefined
  record.life = undefined
  if (record.comesBackWithMachine && !hasContainers(record.stage)) {
    record.stage = "new"
    record.status = {}
    return
  }
  if (!hasContainers(record.stage) && !isForgotten) return
  record.stage = record.containers.regular.some(({ containerID }) => containerID !== undefined) ? "lost" : "new"
}
