import { parseTime } from "@rollcall/api"
import { type InvalidInput, invalid, releaseOfName, wrongValue } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "@rollcall/node-controller"
import {
  type EvictionReport,
  renderEvictionsJson,
  renderEvictionsTable,
  reportEvictions
} from "@rollcall/node-controller/report"
import { evictionObjectsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { layerFiles } from "../layerFiles.ts"
import { type GivenObjects, objectDocuments } from "./documents.ts"
import { checkNodeNames } from "./nodeNames.ts"
import { type Planned, planned } from "./Planned.ts"

/** Of which cluster to forecast the evictions. */
export interface PlanEvictionsOptions {
  /** The objects of the cluster: those of `rollcall snapshot`, or of `kubectl get … -o yaml`. */
  readonly snapshot: GivenObjects
  /** The nodes to forecast; all unhealthy ones by default. */
  readonly nodes?: ReadonlyArray<string>
  /** The time of the snapshot, such as `2026-01-02T15:04:05Z`, if it does not state it. */
  readonly asOf?: string
  /** The Kubernetes release, such as 1.33; the newest by default. */
  readonly release?: string
  /** Flags of kube-controller-manager that are not the defaults of the release. */
  readonly settings?: Partial<NodeLifecycleSettings>
}

const readTime = Effect.fnUntraced(function* (asOf: string | undefined) {
  if (asOf === undefined) return undefined
  const ms = parseTime(asOf)
  return Number.isNaN(ms)
    ? yield* invalid("options", "asOf", wrongValue(asOf, "a time such as 2026-01-02T15:04:05Z"))
    : ms
})

/** Forecasts which pods the controllers evict next, when, and what delays it. */
export const planEvictions: (
  options: PlanEvictionsOptions
) => Effect.Effect<Planned<EvictionReport["forecast"]>, InvalidInput> = Effect.fnUntraced(
  function* (options: PlanEvictionsOptions) {
    const release = yield* Effect.fromResult(releaseOfName("options", options.release, "release"))
    const asOf = yield* readTime(options.asOf)
    const objects = yield* evictionObjectsOfDocuments(yield* objectDocuments(options.snapshot, "snapshot"), asOf)
    const names = options.nodes === undefined ? undefined : yield* checkNodeNames(options.nodes, objects.nodes)
    const report = reportEvictions(objects, nodeLifecycleSettings(options.settings, release), release, names)
    return planned(
      report.forecast,
      report,
      report.gaps.map(({ message }) => message),
      { table: renderEvictionsTable, json: renderEvictionsJson }
    )
  },
  withLineNumbers,
  Effect.provide(layerFiles)
)
