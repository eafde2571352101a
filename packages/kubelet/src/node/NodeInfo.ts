import type { ContainerImage, NodeSystemInfo } from "@rollcall/api"

/** The versions of a machine's software. */
export interface Versions {
  readonly kernelVersion: string
  readonly osImage: string
  readonly runtimeType: string
  /** Undefined while the runtime does not respond. */
  readonly runtimeVersion: string | undefined
  /** Absent if it is the version of the release. */
  readonly kubeletVersion?: string
}

/** Returns the versions in `status.nodeInfo`. Upstream: pkg/kubelet/nodestatus/setters.go VersionInfo. */
export const versionInfo = (
  versions: Versions & { readonly kubeletVersion: string },
  reportsKubeProxy = false
): NodeSystemInfo => ({
  kernelVersion: versions.kernelVersion,
  osImage: versions.osImage,
  containerRuntimeVersion: `${versions.runtimeType}://${versions.runtimeVersion ?? "Unknown"}`,
  kubeletVersion: versions.kubeletVersion,
  // Empty since 1.33: the kubelet does not know kube-proxy's version, and used to report its own.
  kubeProxyVersion: reportsKubeProxy ? versions.kubeletVersion : ""
})

/** An image of a container runtime. */
export interface RuntimeImage {
  readonly repoDigests: ReadonlyArray<string>
  readonly repoTags: ReadonlyArray<string>
  readonly sizeBytes: number
}

/** The most names that are reported for one image. Upstream: MaxNamesPerImageInNodeStatus. */
const MAX_NAMES = 5

/**
 * Returns `status.images` from the runtime's list, which is sorted by size. A limit of -1 reports all. Upstream:
 * pkg/kubelet/nodestatus/setters.go Images.
 */
export const reportedImages = (images: ReadonlyArray<RuntimeImage>, maxImages: number): ReadonlyArray<ContainerImage> =>
  (maxImages < 0 ? images : images.slice(0, maxImages)).map(({ repoDigests, repoTags, sizeBytes }) => ({
    names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
    sizeBytes
  }))
