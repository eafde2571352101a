import type { EvictionSignal } from "./Signals.ts"
import { isHard, type Threshold } from "./Threshold.ts"

/** How the filesystems of images, containers and the node itself lie. */
export interface FilesystemLayout {
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/** Where containers' writable layers lie; undefined for a layout that makes no sense, split without an image filesystem. */
const containersLieOn = ({ dedicatedImageFs, splitContainers }: FilesystemLayout): "nodefs" | "imagefs" | undefined => {
  if (dedicatedImageFs === splitContainers) return "nodefs"
  return dedicatedImageFs ? "imagefs" : undefined
}

const measures = ["available", "inodesFree"] as const

/**
 * Thresholds for containers' filesystem follow from those of the filesystem it lies on, whatever was configured for it; what
 * was not configured is appended. Upstream: pkg/kubelet/eviction/helpers.go UpdateContainerFsThresholds, which appends
 * thresholds that can never be met where there is nothing to copy: they are left out here.
 */
export const withContainerFs = (
  thresholds: ReadonlyArray<Threshold>,
  layout: FilesystemLayout
): {
  /** In the first pass, upstream still goes by the old list, in which only what it replaced is new. */
  readonly first: ReadonlyArray<Threshold>
  readonly later: ReadonlyArray<Threshold>
} => {
  const filesystem = containersLieOn(layout)
  if (filesystem === undefined) return { first: thresholds, later: thresholds }
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
