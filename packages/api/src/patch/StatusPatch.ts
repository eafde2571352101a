import type { Node } from "../objects/Node.ts"
import type { Pod } from "../objects/Pod.ts"
import type { PodStatus } from "../objects/PodStatus.ts"
import { directive } from "./directives.ts"
import { type Json, type JsonMap, jsonEqual } from "./Json.ts"
import { diffDocuments } from "./StrategicDiff.ts"

const nothing = (patch: JsonMap): boolean => Object.keys(patch).length === 0

/**
 * The patch a component sends to nodes/status; undefined when there is nothing to send. Metadata and status count, the spec
 * does not. Changed addresses are replaced as a whole: their merge key is their type, of which a node may have two.
 *
 * Upstream: staging/src/k8s.io/component-helpers/node/util/status.go (preparePatchBytesforNodeStatus).
 */
export const createNodeStatusPatch = (original: Node, modified: Node): JsonMap | undefined => {
  const { spec: _before, ...before } = original
  const { spec: _after, ...after } = modified
  const old = (original.status?.addresses ?? []) as Json
  const addresses = modified.status?.addresses ?? []
  if (jsonEqual(old, []) || jsonEqual(old, addresses as Json)) {
    const patch = diffDocuments("Node", before, after)
    return nothing(patch) ? undefined : patch
  }
  const patch = diffDocuments("Node", before, { ...after, status: { ...after.status, addresses: old } })
  const status = (patch.status ?? {}) as JsonMap
  return {
    ...patch,
    status: { ...status, addresses: [...(addresses as ReadonlyArray<Json>), { [directive]: "replace" }] }
  }
}

/**
 * The patch the kubelet sends to pods/status, with the pod's uid so that it fails for a later pod of the same name; undefined
 * when the status is the same. Upstream: pkg/util/pod/pod.go (PatchPodStatus).
 */
export const createPodStatusPatch = (pod: Pod, status: PodStatus): JsonMap | undefined => {
  const patch = diffDocuments("Pod", { status: pod.status ?? {} }, { status })
  const uid = pod.metadata.uid
  if (nothing(patch)) return undefined
  return uid === undefined ? patch : { metadata: { uid }, ...patch }
}
