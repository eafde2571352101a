import type { EvictionSignal } from "./Signals.ts"
import { isHard, type Threshold } from "./Threshold.ts"

/** Which of the filesystems of images, containers and the node are separate. */
export interface FilesystemLayout {
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/**
 * The filesystem of containers' writable layers; undefined for an invalid layout, split without an image filesystem.
 */
const containersLieOn = ({ dedicatedImageFs, splitContainers }: FilesystemLayout): "nodefs" | "imagefs" | undefined => {
  if (dedicatedImageFs === splitContainers) return "nodefs"
  return dedicatedImageFs ? "imagefs" : undefined
}

const measures = ["available", "inodesFree"] as const

/**
 * Replaces the thresholds of the containers' filesystem by those of the filesystem that it is on, whatever was
 * configured; missing ones are appended. Upstream: pkg/kubelet/eviction/helpers.go UpdateContainerFsThresholds, which
 * appends thresholds that can never be met if there is nothing to copy: they are left out here.
 */
export const withContainerFs = (
  thresholds: ReadonlyArray<Threshold>,
  layout: FilesystemLayout
): {
  /** In the first synchronization upstream still uses the old list, in which only the replaced ones are new. */
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
