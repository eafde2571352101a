import type { HostResources } from "../runtime/NodeHost.ts"

/**
 * Returns the resources of a machine whose images the kubelet removes when its disk runs out, before it evicts pods.
 * Upstream: pkg/kubelet/eviction/helpers.go, buildSignalToNodeReclaimFuncs.
 */
export const withImageReclaim = (resources: HostResources, deleteUnusedImages: () => void): HostResources => {
  const { onChange } = resources
  return {
    read: () => resources.read(),
    ...(onChange === undefined ? {} : { onChange: (listener: () => void) => resources.onChange?.(listener) }),
    reclaim: (what, done) => {
      if (what === "images") deleteUnusedImages()
      if (resources.reclaim === undefined) done()
      else resources.reclaim(what, done)
    }
  }
}
