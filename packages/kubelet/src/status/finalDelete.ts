import type { Pod } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"

/**
 * The request by which a kubelet takes a pod, or a mirror pod, out of the API at once: that very pod, not one that has taken its name.
 * Upstream: pkg/kubelet/status/status_manager.go syncPod, pkg/kubelet/pod/mirror_client.go DeleteMirrorPod.
 */
export const finalDelete = ({ metadata: { name = "", namespace = "", uid = "" } }: Pod): ApiRequest => ({
  verb: "delete",
  kind: "Pod",
  namespace,
  name,
  options: { gracePeriodSeconds: 0, preconditions: { uid } }
})
