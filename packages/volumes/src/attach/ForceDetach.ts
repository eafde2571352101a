import { hasTaintKey, isNodeReady, type Node, taintOutOfService } from "@rollcall/api"

/** An attached volume that its node no longer needs. */
export interface UnwantedVolume {
  /** The node still reports it in status.volumesInUse. */
  readonly mountedByNode: boolean
  /** The node is in the cache and Ready is True. */
  readonly nodeHealthy: boolean
  /** The node is in the cache and carries a taint of key node.kubernetes.io/out-of-service, of whatever effect. */
  readonly outOfService: boolean
  /** Since the detach was first wanted. */
  readonly elapsedMs: number
}

/** What the attach/detach controller sees of a volume that its node, if the cache has one, no longer needs. */
export const unwantedVolume = (node: Node | undefined, uniqueName: string, elapsedMs: number): UnwantedVolume => ({
  mountedByNode: node?.status?.volumesInUse?.includes(uniqueName) === true,
  nodeHealthy: node !== undefined && isNodeReady(node),
  outOfService: node !== undefined && hasTaintKey(node, taintOutOfService),
  elapsedMs
})

export interface DetachSettings {
  readonly maxWaitForUnmountMs: number
  readonly disableForceDetachOnTimeout: boolean
  /** Gate NodeOutOfServiceVolumeDetach: a taint out-of-service counts. */
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
 * Whether to detach now. The metric does not look at health: after the timeout every detach counts as forced, also of an
 * unmounted volume on a healthy node.
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
