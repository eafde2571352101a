import type { FilesystemLayout } from "./containerFs.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** Node-level resources that can be reclaimed before pods are evicted. */
export type Reclaim = "containers" | "images"

const both: ReadonlyArray<Reclaim> = ["containers", "images"]
const containers: ReadonlyArray<Reclaim> = ["containers"]
const images: ReadonlyArray<Reclaim> = ["images"]
const none: ReadonlyArray<Reclaim> = []

/**
 * Returns what to reclaim for a signal, in order: nothing for memory and process numbers. Upstream:
 * pkg/kubelet/eviction/helpers.go buildSignalToNodeReclaimFuncs.
 */
export const reclaimFor = (
  signal: EvictionSignal,
  { dedicatedImageFs, splitContainers }: FilesystemLayout
): ReadonlyArray<Reclaim> => {
  if (signalFacts[signal].condition !== "DiskPressure") return none
  if (!dedicatedImageFs) return both
  if (splitContainers) return signal.startsWith("imagefs.") ? images : containers
  return signal.startsWith("nodefs.") ? none : both
}
