import { addTaints, removeTaints } from "@rollcall/api"
import { labelsToSet, noScheduleDifference, zoneKeyOf } from "@rollcall/node-controller"
import { decideDetach } from "@rollcall/volumes"
import type { Adapters } from "../Adapter.ts"
import { nodeHealth } from "./nodeController/health.ts"
import { podGc, podGcOutOfService } from "./nodeController/podGc.ts"
import { podEviction } from "./nodeController/taintEviction.ts"

export const nodeControllerAdapters: Adapters = {
  "lifecycle/zone-key": ({ given }) => ({ zoneKey: zoneKeyOf(given.labels ?? undefined) }),
  "lifecycle/node-health": nodeHealth,
  "lifecycle/condition-taints": ({ given }) => {
    const present = given.node.spec?.taints ?? []
    const difference = noScheduleDifference(given.node)
    if (difference === undefined) return { patched: false, add: [], remove: [], taints: present }
    const { toAdd, toRemove } = difference
    const added = addTaints(
      present,
      toAdd.map((taint) => ({ ...taint, timeAdded: "now" }))
    )
    return { patched: true, add: toAdd, remove: toRemove, taints: removeTaints(added, toRemove) }
  },
  "lifecycle/label-reconcile": ({ given }) => {
    const change = labelsToSet(given.labels ?? undefined)
    return {
      labels: change === undefined ? given.labels : { ...given.labels, ...change },
      patched: change !== undefined
    }
  },
  "tainteviction/pod-eviction": podEviction,
  "eviction/podgc": podGc,
  "eviction/force-detach": ({ given }) =>
    decideDetach(
      {
        mountedByNode: given.mountedByNode,
        nodeHealthy: given.node?.ready === "True",
        outOfService: given.node?.outOfService === true,
        elapsedMs: given.elapsed * 1000
      },
      {
        maxWaitForUnmountMs: (given.maxWaitForUnmount ?? 360) * 1000,
        disableForceDetachOnTimeout: given.disableForceDetachOnTimeout
      }
    ),
  "shutdown/podgc-out-of-service": podGcOutOfService,
  "shutdown/force-detach": ({ given }) =>
    decideDetach(
      {
        mountedByNode: given.volumeStillMounted,
        nodeHealthy: given.nodeReady,
        outOfService: given.outOfServiceTaint,
        elapsedMs: given.secondsSinceDetachRequest * 1000
      },
      { maxWaitForUnmountMs: 360_000, disableForceDetachOnTimeout: given.disableForceDetachOnTimeout }
    )
}
