import type { Node } from "@rollcall/api"
import { zoneKeyOf } from "@rollcall/node-controller"
import { type DetachSettings, defaultDetachSettings } from "@rollcall/volumes"
import { decideDetach, unwantedVolume } from "@rollcall/volumes/rules"
import type { Adapters, Json } from "../Adapter.ts"
import { nodeHealth } from "./nodeController/health.ts"
import { conditionTaints, labelReconcile } from "./nodeController/nodePatches.ts"
import { podGc, podGcOutOfService } from "./nodeController/podGc.ts"
import { podEviction } from "./nodeController/taintEviction.ts"

const VOLUME = "kubernetes.io/csi/d^v"

/** Decides about a volume of a node that is described; null: the node is not in the cache. */
const detach = (given: Json, elapsedSeconds: number, settings: Partial<DetachSettings>): Json => {
  const node: Node | undefined = given === null ? undefined : nodeOf(given)
  return decideDetach(unwantedVolume(node, VOLUME, elapsedSeconds * 1000), { ...defaultDetachSettings, ...settings })
}

const nodeOf = ({ mounted, outOfService, ready }: Json): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: { taints: outOfService ? [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] : [] },
  status: {
    conditions: ready === null ? [] : [{ type: "Ready", status: ready }],
    volumesInUse: mounted ? [VOLUME] : []
  }
})

export const nodeControllerAdapters: Adapters = {
  "lifecycle/zone-key": ({ given }) => ({ zoneKey: zoneKeyOf(given.labels ?? undefined) }),
  "lifecycle/node-health": nodeHealth,
  "lifecycle/condition-taints": conditionTaints,
  "lifecycle/label-reconcile": labelReconcile,
  "tainteviction/pod-eviction": podEviction,
  "eviction/podgc": podGc,
  "eviction/force-detach": ({
    given: { disableForceDetachOnTimeout, elapsed, maxWaitForUnmount, mountedByNode, node }
  }) =>
    detach(node && { ...node, mounted: mountedByNode }, elapsed, {
      disableForceDetachOnTimeout,
      ...(maxWaitForUnmount === undefined ? {} : { maxWaitForUnmountMs: maxWaitForUnmount * 1000 })
    }),
  "shutdown/podgc-out-of-service": podGcOutOfService,
  "shutdown/force-detach": ({
    given: { disableForceDetachOnTimeout, nodeReady, outOfServiceTaint, secondsSinceDetachRequest, volumeStillMounted }
  }) =>
    detach(
      { ready: nodeReady ? "True" : "False", outOfService: outOfServiceTaint, mounted: volumeStillMounted },
      secondsSinceDetachRequest,
      { disableForceDetachOnTimeout }
    )
}
