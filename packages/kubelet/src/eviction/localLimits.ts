import {
  compareQuantity,
  formatQuantity,
  makeQuantity,
  type Pod,
  podLimits,
  type Quantity,
  signOf
} from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { ephemeralStorageUsed } from "./podUsage.ts"

/** The labels of `kubelet_evictions` for a pod's own limits. */
export type LimitSignal = "emptydirfs.limit" | "ephemeralpodfs.limit" | "ephemeralcontainerfs.limit"

/** A limit on local storage that a pod exceeds. */
export interface LimitExceeded {
  readonly signal: LimitSignal
  readonly message: string
}

const exceeds = (bytes: number, limit: Quantity): boolean => compareQuantity(makeQuantity(bytes, "BinarySI"), limit) > 0

const emptyDirExceeded = (pod: Pod, usage: PodUsage): LimitExceeded | undefined => {
  for (const { emptyDir, name } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit
    const used = usage.volumes?.[name]?.usedBytes
    if (limit === undefined || used === undefined || signOf(limit) <= 0 || !exceeds(used, limit)) continue
    const message = `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit "${formatQuantity(limit)}". `
    return { signal: "emptydirfs.limit", message }
  }
  return undefined
}

const podExceeded = (pod: Pod, usage: PodUsage): LimitExceeded | undefined => {
  const limit = podLimits(pod)["ephemeral-storage"]
  if (limit === undefined) return undefined
  const used = makeQuantity(ephemeralStorageUsed(pod, usage), "BinarySI")
  if (compareQuantity(used, limit) <= 0) return undefined
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(limit)}. `
  return { signal: "ephemeralpodfs.limit", message }
}

/** Logs count against a container's limit, and writable layers unless they are on the images' filesystem. */
const containerExceeded = (pod: Pod, usage: PodUsage, dedicatedImageFs: boolean): LimitExceeded | undefined => {
  for (const [container, { logsBytes = 0, rootfsBytes = 0 }] of Object.entries(usage.containers ?? {})) {
    const spec = pod.spec.containers.find(({ name }) => name === container)
    const limit = spec?.resources?.limits?.["ephemeral-storage"]
    const used = dedicatedImageFs ? logsBytes : logsBytes + rootfsBytes
    if (limit === undefined || signOf(limit) === 0 || !exceeds(used, limit)) continue
    const text = formatQuantity(limit)
    const message = `Container ${container} exceeded its local ephemeral storage limit "${text}". `
    return { signal: "ephemeralcontainerfs.limit", message }
  }
  return undefined
}

/**
 * Returns the first limit on local storage that a pod exceeds: of an emptyDir, of the pod, of a container. Returns
 * undefined if there is none; usage that is equal to a limit does not exceed it. Upstream:
 * pkg/kubelet/eviction/eviction_manager.go localStorageEviction.
 */
export const limitExceeded = (pod: Pod, usage: PodUsage, dedicatedImageFs: boolean): LimitExceeded | undefined =>
  emptyDirExceeded(pod, usage) ?? podExceeded(pod, usage) ?? containerExceeded(pod, usage, dedicatedImageFs)
