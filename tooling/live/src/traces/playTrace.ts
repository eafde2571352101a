import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { run } from "../process/Program.ts"
import { freePort, readyServer, TOOL, temporaryFolder } from "../process/rollcall.ts"

const COMPARE = fileURLToPath(new URL("../../../compare-trace/src/main.ts", import.meta.url))

/** The result of a recorded scenario that was run live. */
export interface PlayedTrace {
  readonly name: string
  readonly agrees: boolean
  /** The report of the comparison: its scope, and each difference. */
  readonly report: string
  /** The driver's standard error: trace entries, Events and problems. */
  readonly driver: string
}

const flagsOf = (scenario: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { spec } = JSON.parse(readFileSync(scenario, "utf8")) as {
    readonly spec: { readonly flags?: Readonly<Record<string, ReadonlyArray<string>>> }
  }
  return spec.flags ?? {}
}

/**
 * Runs the scenario of a recording with the recordings' own driver against `rollcall apiserver`, with `rollcall
 * controller-manager` as the controller that it starts and kills, and compares the result with the recording.
 */
export const playTrace = Effect.fnUntraced(function* (folder: string, name: string) {
  const scenario = join(folder, "scenarios", `${name}.json`)
  const home = yield* temporaryFolder
  const [port, health] = [yield* freePort, yield* freePort]
  const { kubeconfig } = yield* readyServer({ folder: home, port, args: flagsOf(scenario)["kube-apiserver"] ?? [] })
  const controller = [process.execPath, TOOL, "controller-manager", "--kubeconfig", kubeconfig, "--v=4"]
  controller.push("--authorization-always-allow-paths=/healthz,/metrics")
  const out = join(home, `${name}.json`)
  const driverRun = yield* run(
    process.execPath,
    join(folder, "driver.mjs"),
    ...["--kubeconfig", kubeconfig, "--scenario", scenario, "--out", out],
    ...["--metrics", `https://127.0.0.1:${health}/metrics`],
    ...["--controller", `${controller.join(" ")} --secure-port=${health} --leader-elect=false {flags}`]
  )
  if (driverRun.code !== 0) return { name, agrees: false, report: "not played", driver: driverRun.stderr }
  const comparison = yield* run(process.execPath, COMPARE, join(folder, `${name}.json`), out)
  const result: PlayedTrace = {
    name,
    agrees: comparison.code === 0,
    report: comparison.stdout,
    driver: driverRun.stderr
  }
  return result
}, Effect.scoped)
