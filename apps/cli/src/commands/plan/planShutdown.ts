import { releaseOfName } from "@rollcall/input"
import { renderShutdownJson, renderShutdownTable, reportShutdown } from "@rollcall/shutdown/report"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { readNodePods } from "./nodePods.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"

/** The command line of `rollcall plan shutdown`. */
export interface PlanShutdownOptions {
  readonly config: string
  /** The folder of drop-ins of the configuration file; "" if there is none. */
  readonly configDir: string
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  readonly node: string | undefined
  /** InhibitDelayMaxSec of logind, in seconds. */
  readonly inhibitDelay: number
  readonly release: string | undefined
  readonly output: "table" | "json"
}

/** Runs `rollcall plan shutdown`. Without pods the plan has only the phases and their times. */
export const runPlanShutdown = Effect.fnUntraced(function* (options: PlanShutdownOptions) {
  const { inhibitDelay: inhibitDelaySeconds, output } = options
  const release = yield* Effect.fromResult(releaseOfName("command line", options.release, "--release"))
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found = yield* readNodePods(options)
  for (const warning of warnings) yield* Console.error(`rollcall: warning: ${warning}`)
  const report = reportShutdown(config, { inhibitDelaySeconds, release, node: found?.node, pods: found?.pods })
  const { write } = yield* openOutput(undefined)
  yield* write(output === "json" ? renderShutdownJson(report) : renderShutdownTable(report))
}, Effect.scoped)
