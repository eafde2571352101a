/**
 * How a kubelet itself kills a pod: node pressure, preemption, node shutdown. Upstream: pkg/kubelet/pod_workers.go
 * KillPodOptions, killPodNow.
 */
export interface PodKill {
  /**
   * The grace period in seconds, instead of the pod's own. It can only shorten a termination in progress, and is at
   * least one second.
   */
  readonly graceSeconds?: number
  /**
   * `status.reason` and `status.message` of the pod once its last container has stopped; its phase is then Failed,
   * unless it is Succeeded.
   */
  readonly reason: string
  readonly message: string
  /** Message of a DisruptionTarget condition with reason TerminationByKubelet, written together with the phase. */
  readonly disruption?: string
  /**
   * Called once: with `stopped` when nothing of the pod runs any more, or with `timedOut` after max(10, g + g/2)
   * seconds for a grace period of g.
   */
  readonly done?: (outcome: "stopped" | "timedOut") => void
}

/** Kills pods of a node by uid; a pod that does not exist, or has nothing running, is done at once. */
export type KillPod = (uid: string, kill: PodKill) => void

/** The kill of a pod whose activeDeadlineSeconds are over. Upstream: pkg/kubelet/active_deadline.go. */
export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline"
}
