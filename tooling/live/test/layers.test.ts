import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { eventually } from "../src/process/eventually.ts"
import { freePort, rollcall, startRollcall, startServer, temporaryFolder } from "../src/process/rollcall.ts"

const example = (name: string) => fileURLToPath(new URL(`../../../examples/layers/${name}`, import.meta.url))

const hasLines = (stdout: string, pattern: RegExp, count: number): boolean =>
  stdout.split("\n").filter((line) => pattern.test(line)).length === count

describe("user layers in a live cluster", () => {
  it.live(
    "are read by rollcall up: its store, pod runtimes, scheduler, admission and cloud",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const args = ["--config", example("shop.yaml"), "--layers", example("all.ts"), "--speed", "5"]
        const up = yield* startRollcall("up", ...args, "--port", "0", "--data-dir", folder)
        yield* up.waitForOutput(/4 nodes are Ready/)
        const kubeconfig = join(folder, "admin.conf")
        const pods = rollcall("get", "pods", "-o", "wide", "--show-labels", "--kubeconfig", kubeconfig)
        const placed = / cheap-[01] .*app=shop,creator=replicaset-controller/
        yield* eventually("all pods are on cheap nodes", pods, ({ stdout }) => hasLines(stdout, placed, 8))
        yield* eventually("their images are pulled", pods, ({ stdout }) => hasLines(stdout, /1\/1 +Running/, 8))
        const nodes = rollcall("get", "nodes", "-L", "topology.kubernetes.io/zone", "--kubeconfig", kubeconfig)
        yield* eventually("nodes are in their racks", nodes, ({ stdout }) => hasLines(stdout, / rack-[12]$/, 4))
        assert.isTrue(existsSync(join(folder, "admin.conf")))
        assert.isFalse(existsSync(join(folder, "store.sqlite")), "the store of SQLite is not made")
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "that a program does not use are reported, and the program continues",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const layers = ["--layers", example("scheduler-plugin.ts")]
        const { program } = yield* startServer({ folder, port: yield* freePort, args: layers })
        yield* program.waitForOutput(/provides SchedulerPlugins, which rollcall apiserver does not read/)
        yield* program.waitForOutput(/Serving the Kubernetes API/)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )
})
