import { isReleaseName, type Pod, releaseNames, releases } from "@rollcall/api"
import { lintShutdown, planShutdown } from "@rollcall/shutdown"
import { didYouMean, invalid } from "@rollcall/simulator/input"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { readPods } from "./podsOfFile.ts"
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

const releaseOf = Effect.fnUntraced(function* (name: string) {
  if (isReleaseName(name)) return releases[name]
  const near = didYouMean(name, releaseNames)
  return yield* invalid(
    "command line",
    "--release",
    `found "${name}", expected one of ${releaseNames.join(", ")}${near}`
  )
})

interface NodePods {
  readonly node: string
  readonly pods: ReadonlyArray<Pod>
}

const podsOf = Effect.fnUntraced(function* ({ kubeconfig, node, pods }: PlanShutdownOptions) {
  if (pods !== undefined && kubeconfig !== undefined) {
    return yield* invalid("command line", "--pods", "pods are taken from a file or from a cluster, not from both")
  }
  if (pods !== undefined) return yield* readPods(pods, node)
  if (kubeconfig !== undefined) {
    const { clusterPods } = yield* Effect.promise(() => import("./podsOfCluster.ts"))
    return yield* clusterPods(kubeconfig, node)
  }
  if (node !== undefined) return yield* invalid("command line", "--node", "needs --pods or --kubeconfig: whose pods?")
  return undefined
})

export const runPlanShutdown = Effect.fnUntraced(function* (options: PlanShutdownOptions) {
  const { inhibitDelay: inhibitDelaySeconds, output } = options
  if (inhibitDelaySeconds < 0) {
    return yield* invalid(
      "command line",
      "--inhibit-delay-max-sec",
      `found ${inhibitDelaySeconds}, expected 0 seconds or more`
    )
  }
  const release = yield* releaseOf(options.release ?? "1.36")
  const { config, warnings } = yield* readShutdownConfig(options.config, options.configDir, release)
  const found: NodePods | undefined = yield* podsOf(options)
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
