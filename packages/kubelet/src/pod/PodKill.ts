/**
 * How a kubelet ends a pod of its node on its own account: node pressure, preemption, node shutdown.
 * Upstream: pkg/kubelet/pod_workers.go KillPodOptions, killPodNow.
 */
export interface PodKill {
  /** Seconds instead of the pod's own grace period; what is under way already can only become shorter, and never below 1. */
  readonly graceSeconds?: number
  /** `status.reason` and `status.message` of the pod from the stop of its last container on; its phase is Failed then, unless it is Succeeded. */
  readonly reason: string
  readonly message: string
  /** Message of a DisruptionTarget condition with reason TerminationByKubelet, sent together with the phase. */
  readonly disruption?: string
  /** Told once: nothing of the pod runs any more, or that took longer than max(10, g + g/2) seconds for a grace of g. */
  readonly done?: (outcome: "stopped" | "timedOut") => void
}

/** Ends pods of a node by their uid; one that is not there, or has nothing that runs, is done at once. */
export type KillPod = (uid: string, kill: PodKill) => void
