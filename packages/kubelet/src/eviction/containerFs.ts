import type { EvictionSignal } from "./Signals.ts"
import { isHard, type Threshold } from "./Threshold.ts"

/** Which of the filesystems of images, containers and the node are separate, see `HostReadings`. */
export interface FilesystemLayout {
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/**
 * Returns the filesystem of containers' writable layers, or undefined for an invalid layout: containers are split from
 * images that have no filesystem of their own.
 */
const containerFilesystem = ({
  dedicatedImageFs,
  splitContainers
}: FilesystemLayout): "nodefs" | "imagefs" | undefined => {
  if (dedicatedImageFs === splitContainers) return "nodefs"
  return dedicatedImageFs ? "imagefs" : undefined
}

interface Replaced {
  /**
   * The thresholds of the first synchronization: without the appended ones, because upstream still uses its old list.
   */
  readonly first: ReadonlyArray<Threshold>
  /** The thresholds of all later synchronizations. */
  readonly later: ReadonlyArray<Threshold>
}

/** By the thresholds and the filesystem of containers: thousands of kubelets share a configuration. */
const known = new WeakMap<ReadonlyArray<Threshold>, Map<"nodefs" | "imagefs", Replaced>>()

const measures = ["available", "inodesFree"] as const

/**
 * Replaces the thresholds of containerfs by copies of those of the filesystem that it is on, regardless of the
 * configuration. Missing ones are appended. Upstream: pkg/kubelet/eviction/helpers.go UpdateContainerFsThresholds,
 * which appends thresholds that can never be met if there is nothing to copy; these are left out here.
 */
export const withContainerFs = (thresholds: ReadonlyArray<Threshold>, layout: FilesystemLayout): Replaced => {
  const filesystem = containerFilesystem(layout)
  if (filesystem === undefined) return { first: thresholds, later: thresholds }
  const ofThresholds = known.get(thresholds) ?? new Map<"nodefs" | "imagefs", Replaced>()
  known.set(thresholds, ofThresholds)
  const replaced = ofThresholds.get(filesystem) ?? replace(thresholds, filesystem)
  ofThresholds.set(filesystem, replaced)
  return replaced
}

const replace = (thresholds: ReadonlyArray<Threshold>, filesystem: "nodefs" | "imagefs"): Replaced => {
  const first: Array<Threshold | undefined> = [...thresholds]
  const appended: Array<Threshold> = []
  for (const measure of measures) {
    for (const hard of [true, false]) {
      const lastOf = (signal: EvictionSignal) =>
        thresholds.findLastIndex((threshold) => threshold.signal === signal && isHard(threshold) === hard)
      const signal: EvictionSignal = `containerfs.${measure}`
      const source = thresholds[lastOf(`${filesystem}.${measure}`)]
      const copy = source === undefined ? undefined : { ...source, signal }
      const at = lastOf(signal)
      if (at >= 0) first[at] = copy
      else if (copy !== undefined) appended.push(copy)
    }
  }
  const replaced = first.filter((threshold) => threshold !== undefined)
  return { first: replaced, later: [...replaced, ...appended] }
}
