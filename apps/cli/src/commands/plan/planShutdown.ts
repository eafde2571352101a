import { invalid } from "@rollcall/input"
import { lintShutdown, planShutdown } from "@rollcall/shutdown"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { nodePods } from "./nodePods.ts"
import { releaseNamed } from "./releaseNamed.ts"
import type { ShutdownReport } from "./ShutdownReport.ts"
import { readShutdownConfig } from "./shutdownConfig.ts"
import { renderShutdownJson } from "./shutdownJson.ts"
import { renderShutdownTable } from "./shutdownTable.ts"

export interface PlanShutdownOptions {
  readonly config: string
  /** Empty: none. */
  readonly configDir: string
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  readonly node: string | undefined
  readonly inhibitDelay: number
  readonly release: string | undefined
  readonly output: "table" | "json"
}

export const runPlanShutdown = Effect.fnUntraced(function* (options: PlanShutdownOptions) {
  const { inhibitDelay: inhibitDelaySeconds, output } = options
  if (inhibitDelaySeconds < 0) {
    return yield* invalid(
      "command line",
      "--inhibit-delay-max-sec",
      `found ${inhibitDelaySeconds}, expected 0 seconds or more`
    )
  }
  const release = yield* releaseNamed(options.release ?? "1.36")
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found = yield* nodePods(options)
  for (const warning of warnings) yield* Console.error(`rollcall: warning: ${warning}`)
  const report: ShutdownReport = {
    config,
    release,
    node: found?.node ?? "",
    pods: found?.pods,
    plan: planShutdown(config, found?.pods ?? [], { inhibitDelaySeconds }),
    findings: lintShutdown(config, found?.pods, { inhibitDelaySeconds, release })
  }
  const { write } = yield* openOutput(undefined)
  yield* write(output === "json" ? renderShutdownJson(report) : renderShutdownTable(report))
}, Effect.scoped)
