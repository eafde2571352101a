import type { Pod } from "@rollcall/api"
import { type InvalidInput, releaseOfName } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import type { ShutdownFinding } from "@rollcall/shutdown"
import { renderShutdownJson, renderShutdownTable, reportShutdown } from "@rollcall/shutdown/report"
import type { ShutdownPlan } from "@rollcall/shutdown/rules"
import * as Effect from "effect/Effect"
import { layerFiles } from "../layerFiles.ts"
import type { Given } from "./documents.ts"
import { readKubeletConfig } from "./kubeletConfig.ts"
import { type NodeOptions, readNodePods } from "./nodePods.ts"
import { type Planned, planned } from "./Planned.ts"

/** Of which node to plan the shutdown. Without pods the plan has only the phases and their times. */
export interface PlanShutdownOptions extends NodeOptions {
  /** The KubeletConfiguration; a value may leave out its apiVersion and kind. */
  readonly config: Given
  /** The folder of drop-ins of the configuration. */
  readonly configDir?: string
  /** InhibitDelayMaxSec of the machine's logind; 5 by default, as logind's own. */
  readonly inhibitDelaySeconds?: number
  /** The Kubernetes release, such as 1.33; the newest by default. */
  readonly release?: string
}

/** The plan of a shutdown, and what will surprise in it. */
export interface PlannedShutdown extends Planned<ShutdownPlan<Pod>> {
  readonly findings: ReadonlyArray<ShutdownFinding>
}

const LOGIND_DELAY_SECONDS = 5

/** Plans the graceful shutdown of a node: which pods end when, with how much time. */
export const planShutdown: (options: PlanShutdownOptions) => Effect.Effect<PlannedShutdown, InvalidInput> =
  Effect.fnUntraced(
    function* ({
      config: given,
      configDir = "",
      inhibitDelaySeconds = LOGIND_DELAY_SECONDS,
      release: name,
      ...options
    }: PlanShutdownOptions) {
      const release = yield* Effect.fromResult(releaseOfName("options", name, "release"))
      const { config, warnings } = yield* readKubeletConfig(given, configDir, release)
      const found = yield* readNodePods(options)
      const report = reportShutdown(config, { inhibitDelaySeconds, release, node: found?.node, pods: found?.pods })
      const render = { table: renderShutdownTable, json: renderShutdownJson }
      return { ...planned(report.plan, report, warnings, render), findings: report.findings }
    },
    withLineNumbers,
    Effect.provide(layerFiles)
  )
