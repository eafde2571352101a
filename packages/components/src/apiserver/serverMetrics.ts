import { statSync } from "node:fs"
import { type FeatureGate, featureGatesOf, gateState, type Release } from "@rollcall/api"
import type { ServerMetrics } from "@rollcall/api-server"
import type { FeatureState } from "@rollcall/api-server/http"
import { gauge, MetricSet, type TimersShape } from "@rollcall/time"
import { addProcessMetrics } from "../serving/processFamilies.ts"

/** Upstream: apiserver/pkg/storage/etcd3/metrics. The cluster of stores has one member. */
export const storageSize = gauge(
  "apiserver_storage_size_bytes",
  "STABLE",
  "The size of the file of the store in bytes.",
  ["storage_cluster_id"]
)

const STORE = "etcd-0"

/** Returns what measures an API server whose store is in a file, with the metrics of this process. */
export const makeServerMetrics = ({ now }: Pick<TimersShape, "now">, storeFile: string): ServerMetrics => {
  const set = new MetricSet()
  addProcessMetrics(set)
  set.read(storageSize, () => {
    const size = statSync(storeFile, { throwIfNoEntry: false })?.size
    return size === undefined ? [] : [[{ storage_cluster_id: STORE }, size]]
  })
  return { set, now }
}

const stages = { alpha: "ALPHA", beta: "BETA", ga: "", deprecated: "DEPRECATED" } as const

/** Returns the feature gates of a release for `kubernetes_feature_enabled`. */
export const featureStatesOf = (release: Release): ReadonlyArray<FeatureState> =>
  Object.entries(featureGatesOf(release)).flatMap(([name, isEnabled]) => {
    const state = gateState(release, name as FeatureGate)
    return state === undefined ? [] : [{ name, stage: stages[state.stage], isEnabled }]
  })
