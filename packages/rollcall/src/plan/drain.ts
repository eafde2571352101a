import { parseLabelSelector } from "@rollcall/api"
import type { DrainPlan, PlanDrainOptions as LibraryOptions } from "@rollcall/drain"
import { renderDrainJson, renderDrainTable } from "@rollcall/drain/report"
import { type InvalidInput, invalid, wrongValue } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import { drainGapsOf, objectsOfDocuments, planClusterDrain } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { layerFiles } from "../layerFiles.ts"
import { type GivenObjects, objectDocuments } from "./documents.ts"
import { checkNodeNames } from "./nodeNames.ts"
import { type Planned, planned } from "./Planned.ts"

/** What to drain and how, as `kubectl drain` does it. */
export interface PlanDrainOptions extends Omit<LibraryOptions, "podSelector"> {
  /** The objects of the cluster: those of `rollcall snapshot`, or of `kubectl get … -o yaml`. */
  readonly snapshot: GivenObjects
  /** Only pods with these labels are drained: `"app=web"`. */
  readonly podSelector?: string
}

const readSelector = (text: string) =>
  Result.mapError(parseLabelSelector(text), ({ message }) =>
    invalid("options", "podSelector", wrongValue(text, `a label selector: ${message}`))
  )

/** Plans what a drain of nodes does, second by second, and what blocks it. */
export const planDrain: (options: PlanDrainOptions) => Effect.Effect<Planned<DrainPlan>, InvalidInput> =
  Effect.fnUntraced(
    function* ({ podSelector, snapshot, ...options }: PlanDrainOptions) {
      const selector =
        podSelector === undefined ? {} : { podSelector: yield* Effect.fromResult(readSelector(podSelector)) }
      const objects = yield* objectsOfDocuments(yield* objectDocuments(snapshot, "snapshot"))
      const nodes = yield* checkNodeNames(options.nodes, objects.of("Node"))
      const gaps = drainGapsOf(objects, options.disableEviction === true)
      const plan = planClusterDrain(objects, { ...options, ...selector, nodes })
      return planned(
        plan,
        { plan, gaps },
        gaps.map(({ message }) => message),
        { table: renderDrainTable, json: renderDrainJson }
      )
    },
    withLineNumbers,
    Effect.provide(layerFiles)
  )
