const MB = 1024 * 1024
const GB = 1024 * MB

/** By the size above which an image belongs there, the largest first. Upstream: pkg/kubelet/metrics/metrics.go, imageSizeBuckets. */
const buckets: ReadonlyArray<readonly [above: number, label: string]> = [
  [100 * GB, "GT100GB"],
  [60 * GB, "60GB-100GB"],
  [40 * GB, "40GB-60GB"],
  [30 * GB, "30GB-40GB"],
  [20 * GB, "20GB-30GB"],
  [10 * GB, "10GB-20GB"],
  [5 * GB, "5GB-10GB"],
  [GB, "1GB-5GB"],
  [500 * MB, "500MB-1GB"],
  [100 * MB, "100MB-500MB"],
  [10 * MB, "10MB-100MB"],
  [0, "0-10MB"]
]

/** Returns the label of an image's size in `kubelet_image_pull_duration_seconds`. */
export const imageSizeBucket = (sizeBytes: number): string => buckets.find(([above]) => sizeBytes > above)?.[1] ?? "N/A"
