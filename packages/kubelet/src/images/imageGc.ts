import type { StoredImage } from "../runtime/PodRuntime.ts"

/** What a kubelet remembers of an image. */
export interface ImageRecord {
  readonly sizeBytes: number
  readonly isPinned: boolean
  readonly firstDetectedMs: number
  /** When it was last seen in use; undefined if it never was. */
  readonly lastUsedMs: number | undefined
}

/** The records of the images of a node, by their names for the runtime. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>

export const noRecords: ImageRecords = new Map()

/** When images are removed. Upstream: ImageGCPolicy. */
export interface ImageGcPolicy {
  readonly highThresholdPercent: number
  readonly lowThresholdPercent: number
  readonly minAgeMs: number
  /** 0 if age alone removes none. */
  readonly maxAgeMs: number
}

/** An image that is removed. */
export interface RemovedImage {
  readonly ref: string
  readonly reason: "age" | "space"
}

/** Returns the records after a look at the node's images. Upstream: image_gc_manager.go, detectImages. */
export const detectImages = (
  records: ImageRecords,
  images: ReadonlyArray<StoredImage>,
  inUse: ReadonlySet<string>,
  nowMs: number
): ImageRecords =>
  new Map(
    images.map(({ isPinned = false, ref, sizeBytes }) => {
      const { firstDetectedMs = nowMs, lastUsedMs } = records.get(ref) ?? {}
      return [ref, { sizeBytes, isPinned, firstDetectedMs, lastUsedMs: inUse.has(ref) ? nowMs : lastUsedMs }]
    })
  )

type Candidate = readonly [ref: string, record: ImageRecord]

const lastUse = ({ lastUsedMs = Number.NEGATIVE_INFINITY }: ImageRecord): number => lastUsedMs

/** Returns the images that nothing uses, those that were not used for the longest time first. */
const inEvictionOrder = (records: ImageRecords, inUse: ReadonlySet<string>): ReadonlyArray<Candidate> =>
  [...records]
    .filter(([ref, { isPinned }]) => !isPinned && !inUse.has(ref))
    .toSorted(([, left], [, right]) =>
      lastUse(left) === lastUse(right)
        ? left.firstDetectedMs - right.firstDetectedMs
        : lastUse(left) < lastUse(right)
          ? -1
          : 1
    )

interface Freed {
  readonly removed: ReadonlyArray<RemovedImage>
  /** The images that were looked at and stay. */
  readonly left: ReadonlyArray<string>
  readonly freedBytes: number
}

/** Returns which images to remove for so much space. Upstream: freeSpace. */
const freeSpace = (candidates: ReadonlyArray<Candidate>, bytes: number, minAgeMs: number, nowMs: number): Freed => {
  const removed: Array<RemovedImage> = []
  const left: Array<string> = []
  let freedBytes = 0
  for (const [ref, record] of candidates) {
    if (lastUse(record) >= nowMs || nowMs - record.firstDetectedMs < minAgeMs) {
      left.push(ref)
      continue
    }
    removed.push({ ref, reason: "space" })
    freedBytes += record.sizeBytes
    if (freedBytes >= bytes) break
  }
  return { removed, left, freedBytes }
}

/** Returns which images to remove when the disk runs out: all that are unused. Upstream: DeleteUnusedImages. */
export const unusedImages = (
  records: ImageRecords,
  inUse: ReadonlySet<string>,
  { minAgeMs }: Pick<ImageGcPolicy, "minAgeMs">,
  nowMs: number
): Freed => freeSpace(inEvictionOrder(records, inUse), Number.POSITIVE_INFINITY, minAgeMs, nowMs)

const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const

/** Returns a size as upstream's message has it. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`
}

/** The filesystem of images. */
export interface ImageDisk {
  readonly availableBytes: number
  readonly capacityBytes: number
}

/** What a round of garbage collection does. */
export interface ImageGcPass {
  readonly removed: ReadonlyArray<RemovedImage>
  /** The images that were looked at for space, and stay; undefined if there was enough. */
  readonly left: ReadonlyArray<string> | undefined
  /** Why it has failed, and the reason of the Event about the node. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
}

export interface ImageGcInputs {
  readonly records: ImageRecords
  readonly inUse: ReadonlySet<string>
  readonly policy: ImageGcPolicy
  readonly nowMs: number
  /** When the kubelet started: no image is removed for its age sooner than that age after it. */
  readonly beganMs: number
  /** Returns the disk after images were removed for their age; undefined if the machine's disk never runs out. */
  readonly disk: (removed: ReadonlyArray<RemovedImage>) => ImageDisk | undefined
}

const tooOld = (record: ImageRecord, { maxAgeMs }: ImageGcPolicy, nowMs: number): boolean =>
  nowMs - lastUse(record) > maxAgeMs

/** Decides one round of image garbage collection. Upstream: GarbageCollect. */
export const imageGcPass = ({ beganMs, disk, inUse, nowMs, policy, records }: ImageGcInputs): ImageGcPass => {
  const candidates = inEvictionOrder(records, inUse)
  const isByAge = policy.maxAgeMs !== 0 && nowMs - beganMs > policy.maxAgeMs
  const old = isByAge ? candidates.filter(([, record]) => tooOld(record, policy, nowMs)) : []
  const aged = old.map(([ref]): RemovedImage => ({ ref, reason: "age" }))
  const found = disk(aged)
  if (found === undefined) return { removed: aged, left: undefined, failure: undefined }
  const { capacityBytes } = found
  if (capacityBytes === 0) {
    const message = "invalid capacity 0 on image filesystem"
    return { removed: aged, left: undefined, failure: { reason: "InvalidDiskCapacity", message } }
  }
  const availableBytes = Math.min(found.availableBytes, capacityBytes)
  const usagePercent = 100 - Math.trunc((availableBytes * 100) / capacityBytes)
  if (usagePercent < policy.highThresholdPercent) return { removed: aged, left: undefined, failure: undefined }
  const wantedBytes = Math.trunc((capacityBytes * (100 - policy.lowThresholdPercent)) / 100) - availableBytes
  const others = candidates.filter((candidate) => !old.includes(candidate))
  const { freedBytes, left, removed } = freeSpace(others, wantedBytes, policy.minAgeMs, nowMs)
  const message =
    `Insufficient free disk space on the node's image filesystem (${usagePercent}% of ${sizeText(capacityBytes)} used). ` +
    `Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). ` +
    "Investigate disk usage, as it could be used by active images, logs, volumes, or other data."
  const failure = freedBytes < wantedBytes ? { reason: "FreeDiskSpaceFailed", message } : undefined
  return { removed: [...aged, ...removed], left, failure }
}
