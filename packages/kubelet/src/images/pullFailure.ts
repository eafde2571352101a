import type { StartFailure } from "../runtime/PodRuntime.ts"

/** What a runtime's error may begin with, and what the kubelet then says. Upstream: cri-api, pkg/errors. */
const known = [
  ["RegistryUnavailable", "the registry is unavailable"],
  ["SignatureValidationFailed", "the signature validation failed"]
] as const

/** Returns why a container waits whose image could not be pulled. Upstream: pkg/kubelet/images, evalCRIPullErr. */
export const pullFailureOf = (image: string, error: string): StartFailure => {
  const [reason, why] = known.find(([prefix]) => error.startsWith(prefix)) ?? []
  if (reason === undefined) return { reason: "ErrImagePull", message: error }
  return { reason, message: `image pull failed for ${image} because ${why}${error.slice(reason.length)}` }
}

/** The error of a pull beyond `registryPullQPS`. */
export const PULL_QPS_EXCEEDED = "pull QPS exceeded"
