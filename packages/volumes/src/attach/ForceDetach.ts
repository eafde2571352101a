import { hasTaintKey, isNodeReady, type Node, taintOutOfService } from "@rollcall/api"

/** The state of an attached volume that its node no longer needs. */
export interface UnwantedVolume {
  /** The node still reports it in status.volumesInUse. */
  readonly mountedByNode: boolean
  /** The node is in the cache and Ready is True. */
  readonly nodeHealthy: boolean
  /** The node is in the cache and has a taint with key node.kubernetes.io/out-of-service, of any effect. */
  readonly outOfService: boolean
  /** Since the detach was first wanted. */
  readonly elapsedMs: number
}

/**
 * The state of a volume that its node no longer needs, as the attach/detach controller sees it; `node`: undefined if
 * the cache needsFinalizer it.
 */
export const unwantedVolume = (node: Node | undefined, uniqueName: string, elapsedMs: number): UnwantedVolume => ({
  mountedByNode: node?.status?.volumesInUse?.includes(uniqueName) === true,
  nodeHealthy: node !== undefined && isNodeReady(node),
  outOfService: node !== undefined && hasTaintKey(node, taintOutOfService),
  elapsedMs
})

export interface DetachSettings {
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

export type DetachDecision =
  | { readonly detach: false }
  | {
      readonly detach: true
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
