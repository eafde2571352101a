import { hasTaintKey, isNodeReady, type Node, taintOutOfService } from "@rollcall/api"

/** The state of an attached volume that its node no longer needs. */
export interface UnwantedVolume {
  /** Whether the node still reports it in status.volumesInUse. */
  readonly mountedByNode: boolean
  /** Whether the node is in the cache and its condition Ready is True. */
  readonly nodeHealthy: boolean
  /** Whether the node is in the cache and has the taint node.kubernetes.io/out-of-service, with any effect. */
  readonly outOfService: boolean
  /** Time since the volume was first found unneeded. */
  readonly elapsedMs: number
}

/**
 * The state of a volume that its node no longer needs, by the cached node, which is undefined if the cache lacks it.
 * `uniqueName` is the name of the volume in the status of nodes.
 */
export const unwantedVolume = (node: Node | undefined, uniqueName: string, elapsedMs: number): UnwantedVolume => ({
  mountedByNode: node?.status?.volumesInUse?.includes(uniqueName) === true,
  nodeHealthy: node !== undefined && isNodeReady(node),
  outOfService: node !== undefined && hasTaintKey(node, taintOutOfService),
  elapsedMs
})

/** Flags of kube-controller-manager about detaching. */
export interface DetachSettings {
  /** Time after which a volume is detached although an unhealthy node still reports it as mounted. */
  readonly maxWaitForUnmountMs: number
  readonly disableForceDetachOnTimeout: boolean
  /** Gate NodeOutOfServiceVolumeDetach: the out-of-service taint permits a forced detach. */
  readonly outOfServiceDetach: boolean
}

export const defaultDetachSettings: DetachSettings = {
  maxWaitForUnmountMs: 360_000,
  disableForceDetachOnTimeout: false,
  outOfServiceDetach: true
}

/** Whether to detach a volume, and how. */
export type DetachDecision =
  | { readonly detach: false }
  | {
      readonly detach: true
      /** Whether the node must be read from the API first: it may report the volume as mounted again. */
      readonly verifySafeToDetach: boolean
      /** Label of the forced detach metric; null for a normal detach. */
      readonly forcedReason: "timeout" | "out-of-service" | null
    }

/**
 * Decides whether to detach now. The metric ignores the node's health: after the timeout every detach counts as
 * forced, also of an unmounted volume on a healthy node.
 * Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go reconcile.
 */
export const decideDetach = (
  volume: UnwantedVolume,
  settings: DetachSettings = defaultDetachSettings
): DetachDecision => {
  const expired = volume.elapsedMs > settings.maxWaitForUnmountMs && !settings.disableForceDetachOnTimeout
  const outOfService = volume.outOfService && settings.outOfServiceDetach
  const mayForce = (!volume.nodeHealthy && expired) || outOfService
  if (volume.mountedByNode && !mayForce) return { detach: false }
  return {
    detach: true,
    verifySafeToDetach: !expired && !outOfService,
    forcedReason: expired ? "timeout" : outOfService ? "out-of-service" : null
  }
}
