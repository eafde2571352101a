/**
 * Where a pod stands on its node.
 * - `new`: nothing of it is here yet, or nothing any more after a loss of power (`lost`: containers had run)
 * - `starting`, `running`: its containers come up, or have come up and may be restarted
 * - `stopping`, `stopped`: they are being ended, or have ended for good
 * - `rejected`: refused at admission
 * - `deleted`: the API has acknowledged the final delete; finalizers may keep the object
 */
export type PodStage = "new" | "lost" | "starting" | "running" | "stopping" | "stopped" | "rejected" | "deleted"

/** A pod in this stage has containers, or is getting or losing them. */
export const hasContainers = (stage: PodStage): boolean =>
  stage === "starting" || stage === "running" || stage === "stopping"

/** Nothing of the pod runs any more, nor will. */
export const isOver = (stage: PodStage): boolean => stage === "stopped" || stage === "rejected" || stage === "deleted"

export interface PodView {
  readonly stage: PodStage
  /** The API has the pod. */
  readonly present: boolean
  /** It has a deletionTimestamp. */
  readonly deleting: boolean
  /** The API shows a terminal phase. */
  readonly terminal: boolean
  /** The final delete waits until the terminal phase can be seen. */
  readonly reportTerminal: boolean
}

/**
 * `start` it (after admission) · `stop` its containers, or with less grace than before · `finish`: nothing runs, its end is to be
 * stated · `delete` it from the API · `forget` it.
 */
export type PodDecision = "none" | "start" | "stop" | "finish" | "delete" | "forget"

/**
 * What a kubelet does about one pod, from what it sees now. Asked again after each change, it needs no memory of the way there.
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
