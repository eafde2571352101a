import type { Pod } from "@rollcall/api"
import type { HostReadings, PodUsage } from "../../src/index.ts"

export const MI = 1024 * 1024
export const GI = 1024 * MI

/** A pod with one container `c`. */
export const makePod = (name: string, spec: Partial<Pod["spec"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: { containers: [{ name: "c" }], ...spec }
})

/** Figures of a machine: what is left, of 8 Gi of memory and 100 Gi of disk. */
export const readingsAt = (
  atMs: number,
  left: Readonly<Record<string, number>>,
  usage: ReadonlyMap<string, PodUsage> = new Map()
): HostReadings => ({
  signals: Object.fromEntries(
    Object.entries(left).map(([signal, available]) => [
      signal,
      { available, capacity: signal === "memory.available" ? 8 * GI : 100 * GI, atMs }
    ])
  ),
  podUsage: (uid) => usage.get(uid),
  dedicatedImageFs: false,
  splitContainers: false
})
