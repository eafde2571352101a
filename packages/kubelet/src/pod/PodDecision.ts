/**
 * The stage of a pod on its node.
 * - `new`: it has no containers yet, or none any more after a power loss (`lost`: containers had run)
 * - `starting`, `running`: its containers are being started, or have started and may be restarted
 * - `stopping`, `stopped`: they are being stopped, or have stopped permanently
 * - `rejected`: refused at admission
 * - `deleted`: the API has confirmed the final deletion; finalizers may keep the object
 */
export type PodStage = "new" | "lost" | "starting" | "running" | "stopping" | "stopped" | "rejected" | "deleted"

/** Whether a pod in this stage has containers, or they are being started or stopped. */
export const hasContainers = (stage: PodStage): boolean =>
  stage === "starting" || stage === "running" || stage === "stopping"

/** Whether a pod in this stage has no containers and will not get any. */
export const isOver = (stage: PodStage): boolean => stage === "stopped" || stage === "rejected" || stage === "deleted"

/** What decides about a pod. */
export interface PodView {
  readonly stage: PodStage
  /** Whether the pod exists in the API. */
  readonly present: boolean
  /** Whether it has a deletionTimestamp. */
  readonly deleting: boolean
  /** Whether the API shows a terminal phase. */
  readonly terminal: boolean
  /** Whether the final deletion waits until the API shows the terminal phase. */
  readonly reportTerminal: boolean
}

/**
 * What a kubelet does about a pod.
 * - `start`: admit the pod and start its containers
 * - `stop`: stop its containers, or shorten their grace period
 * - `finish`: set its terminal status, because nothing of it runs
 * - `delete`: delete it from the API
 * - `forget`: drop the record of it
 */
export type PodDecision = "none" | "start" | "stop" | "finish" | "delete" | "forget"

/**
 * Decides what a kubelet does about one pod. The decision is made again after each change, and needs no history.
 * Upstream: pkg/kubelet/pod_workers.go; pkg/kubelet/status/status_manager.go canBeDeleted.
 */
export const decidePod = ({ deleting, present, reportTerminal, stage, terminal }: PodView): PodDecision => {
  const isUp = stage === "starting" || stage === "running"
  if (!present) return isUp ? "stop" : stage === "stopping" ? "none" : "forget"
  if (isUp) return deleting || terminal ? "stop" : "none"
  switch (stage) {
    case "new":
    case "lost":
      return deleting || terminal ? "finish" : "start"
    case "stopping":
      return deleting ? "stop" : "none"
    case "deleted":
      return "none"
    default: // stopped or rejected
      return deleting && (terminal || !reportTerminal) ? "delete" : "none"
  }
}
