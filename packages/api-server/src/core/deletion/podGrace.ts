import type { DeleteOptions, Pod } from "@rollcall/api"

/**
 * How many seconds a pod is given to stop: what the delete asks for, else what the pod does. None when no kubelet has the pod
 * or its containers have ended; a negative period is one second.
 *
 * Upstream: pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
 */
export const podGraceSeconds = (pod: Pod, options: DeleteOptions): number => {
  const { phase } = pod.status ?? {}
  if (!pod.spec.nodeName || phase === "Succeeded" || phase === "Failed") return 0
  const seconds = options.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0
  return seconds < 0 ? 1 : seconds
}
