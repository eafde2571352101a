import type { Node } from "../objects/Node.ts"
import type { Pod } from "../objects/Pod.ts"
import type { PodStatus } from "../objects/PodStatus.ts"
import { directive } from "./directives.ts"
import { type Json, type JsonMap, jsonEqual } from "./Json.ts"
import { diffDocuments } from "./StrategicDiff.ts"

const isEmptyPatch = (patch: JsonMap): boolean => Object.keys(patch).length === 0

/**
 * Returns the patch that a component sends to nodes/status; undefined when nothing changed. It covers metadata and
 * status, not the spec. Changed addresses are replaced as a whole, because their merge key is their type, and a node may
 * have two of one type.
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
    return isEmptyPatch(patch) ? undefined : patch
  }
  const patch = diffDocuments("Node", before, { ...after, status: { ...after.status, addresses: old } })
  const status = (patch.status ?? {}) as JsonMap
  return {
    ...patch,
    status: { ...status, addresses: [...(addresses as ReadonlyArray<Json>), { [directive]: "replace" }] }
  }
}

/**
 * Returns the patch that the kubelet sends to pods/status. It includes the pod's uid, so that it fails for a later pod
 * of the same name. Returns undefined when the status is unchanged. Upstream: pkg/util/pod/pod.go (PatchPodStatus).
 */
export const createPodStatusPatch = (pod: Pod, status: PodStatus): JsonMap | undefined => {
  const patch = diffDocuments("Pod", { status: pod.status ?? {} }, { status })
  const uid = pod.metadata.uid
  if (isEmptyPatch(patch)) return undefined
  return uid === undefined ? patch : { metadata: { uid }, ...patch }
}
