import type { FilesystemLayout } from "./containerFs.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** What a node can throw away before it has to end pods. */
export type Reclaim = "containers" | "images"

const both: ReadonlyArray<Reclaim> = ["containers", "images"]
const containers: ReadonlyArray<Reclaim> = ["containers"]
const images: ReadonlyArray<Reclaim> = ["images"]
const nothing: ReadonlyArray<Reclaim> = []

/**
 * What is thrown away, in order, when a signal is low; memory and process numbers are not won back that way.
 * Upstream: pkg/kubelet/eviction/helpers.go buildSignalToNodeReclaimFuncs.
 */
export const reclaimFor = (
  signal: EvictionSignal,
  { dedicatedImageFs, splitContainers }: FilesystemLayout
): ReadonlyArray<Reclaim> => {
  if (signalFacts[signal].condition !== "DiskPressure") return nothing
  if (!dedicatedImageFs) return both
  if (splitContainers) return signal.startsWith("imagefs.") ? images : containers
  return signal.startsWith("nodefs.") ? nothing : both
}
