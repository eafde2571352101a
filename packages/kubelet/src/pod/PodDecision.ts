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

/** Nothing of the pod runs, now or later. */
export const isOver = (stage: PodStage): boolean => stage === "stopped" || stage === "rejected" || stage === "deleted"

export interface PodView {
  readonly stage: PodStage
  /** The pod exists in the API. */
  readonly present: boolean
  /** It has a deletionTimestamp. */
  readonly deleting: boolean
  /** The API shows a terminal phase. */
  readonly terminal: boolean
  /** The final deletion waits until the API shows the terminal phase. */
  readonly reportTerminal: boolean
}

/**
 * `start` it (after admission) · `stop` its containers, or shorten their grace period · `finish`: nothing runs, set
 * its terminal status · `delete` it from the API · `forget` it.
 */
export type PodDecision = "none" | "start" | "stop" | "finish" | "delete" | "forget"

/**
 * What a kubelet does about one pod, from its current view. Evaluated again after each change, it needs no history.
 * Upstream: pkg/kubelet/pod_workers.go; pkg/kubelet/status/status_manager.go canBeDeleted.
 */
export const decidePod = ({ deleting, present, reportTerminal, stage, terminal }: PodView): PodDecision => {
  const up = stage === "starting" || stage === "running"
  if (!present) return up ? "stop" : stage === "stopping" ? "none" : "forget"
  if (up) return deleting || terminal ? "stop" : "none"
  switch (stage) {
    case "new":
    case "lost":
      return deleting || terminal ? "finish" : "start"
    case "stopping":
      return deleting ? "stop" : "none"
    case "deleted":
      return "none"
    default:
      return deleting && (terminal || !reportTerminal) ? "delete" : "none"
  }
}
