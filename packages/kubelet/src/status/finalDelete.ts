import type { Pod } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"

/**
 * Returns the request with which a kubelet deletes a pod, or a mirror pod, from the API immediately. The uid
 * precondition protects a new pod with the same name. Upstream: pkg/kubelet/status/status_manager.go syncPod,
 * pkg/kubelet/pod/mirror_client.go DeleteMirrorPod.
 */
export const finalDelete = ({ metadata: { name = "", namespace = "", uid = "" } }: Pod): ApiRequest => ({
  verb: "delete",
  kind: "Pod",
  namespace,
  name,
  options: { gracePeriodSeconds: 0, preconditions: { uid } }
})
