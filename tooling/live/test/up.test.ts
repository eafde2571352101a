import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Pod, parseTime } from "@rollcall/api"
import { fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { eventually } from "../src/process/eventually.ts"
import { configOf, connectionTo, freePort, rollcall, startRollcall, temporaryFolder } from "../src/process/rollcall.ts"
import { deployment } from "./workload.ts"

const KUBECONFIG = /export KUBECONFIG=(\S+)/

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

const clusterOf = (kubeconfig: string) =>
  Effect.gen(function* () {
    return fromConnection(yield* connectionTo(yield* configOf(kubeconfig)))
  })

const runningPods = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  pods
    .filter(({ metadata, status }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec }) => `${metadata.uid} on ${spec?.nodeName}`)
    .sort()

describe.concurrent("rollcall up as a process", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.live(
      `ends in order on ${signal}: its folder and its port are free again`,
      () =>
        Effect.gen(function* () {
          const port = yield* freePort
          const up = yield* startRollcall("up", "--nodes", "2", "--port", String(port))
          yield* up.waitForOutput(/2 nodes are Ready after [\d.]+ s: https:\/\/127\.0\.0\.1/)
          const [, kubeconfig = ""] = yield* up.waitForOutput(KUBECONFIG)
          assert.isTrue(existsSync(kubeconfig))
          assert.isFalse(yield* isFree(port))
          up.send(signal)
          assert.deepStrictEqual(yield* up.ended, { code: 130, signal: null })
          assert.isFalse(existsSync(dirname(kubeconfig)))
          assert.isTrue(yield* isFree(port))
          assert.notInclude(up.stderr(), "bug")
        }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
      60_000
    )
  }

  it.live(
    "prints one line of JSON for a program, and ends with the process that it was told of",
    () =>
      Effect.gen(function* () {
        const parent = spawn("sleep", ["60"])
        const up = yield* startRollcall(
          ...["up", "--nodes", "2", "--port", "0", "--output", "json", "--parent-pid", String(parent.pid)]
        )
        const [line] = yield* up.waitForOutput(/^\{.*\}$/m)
        const { kubeconfig, nodes, url } = JSON.parse(line)
        assert.strictEqual(nodes, 2)
        assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/)
        assert.isTrue(existsSync(kubeconfig))
        parent.kill("SIGKILL")
        assert.deepStrictEqual(yield* up.ended, { code: 0, signal: null })
        assert.isFalse(existsSync(dirname(kubeconfig)))
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "spreads the demo's pods over the zones, because it waits until the nodes' taints are removed",
    () =>
      Effect.gen(function* () {
        const up = yield* startRollcall("up", "--nodes", "30", "--zones", "3", "--demo", "--port", "0")
        const [, kubeconfig = ""] = yield* up.waitForOutput(KUBECONFIG)
        const cluster = fromConnection(yield* connectionTo(yield* configOf(kubeconfig)))
        const { items } = yield* eventually("all pods are placed", cluster.list("Pod"), ({ items }) => {
          const placed = items.filter(({ spec }) => spec.nodeName !== undefined)
          return placed.length === 12
        })
        const zones = items.map(({ spec }) => spec.nodeName?.charAt(0) ?? "").sort()
        assert.strictEqual(zones.join(""), "aaaabbbbcccc")
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "is ready without any node",
    () =>
      Effect.gen(function* () {
        const up = yield* startRollcall("up", "--nodes", "0", "--port", "0")
        yield* up.waitForOutput(/^0 nodes are Ready/m)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "serves the metrics of its controllers and its scheduler beside those of its API server",
    () =>
      Effect.gen(function* () {
        const up = yield* startRollcall("up", "--nodes", "2", "--zones", "2", "--demo", "--port", "0")
        const [, kubeconfig = ""] = yield* up.waitForOutput(KUBECONFIG)
        const { raw } = yield* connectionTo(yield* configOf(kubeconfig))
        const metrics = Effect.callback<string>((resume) => {
          const cancel = raw({ method: "GET", path: "/metrics" }, (answer) =>
            resume(Effect.succeed(Result.isSuccess(answer) ? answer.success.body : ""))
          )
          return Effect.sync(cancel)
        })
        const zones = /^node_collector_zone_size\{zone="[^"]*zone-b"\} 1$/m
        const scheduled = /^scheduler_schedule_attempts_total\{result="scheduled",profile="default-scheduler"\} \d+$/m
        const text = yield* eventually(
          "zones and pods are counted",
          metrics,
          (seen) => zones.test(seen) && scheduled.test(seen)
        )
        for (const line of [
          /^apiserver_resource_objects\{group="",resource="nodes"\} \d+$/m,
          /^workqueue_adds_total\{name="node_lifecycle_controller"\} \d+$/m,
          /^workqueue_unfinished_work_seconds\{name="deployment"\} \d/m
        ]) {
          assert.match(text, line)
        }
        // Each metric is described once, even if several components count it.
        const types = text.split("\n").filter((line) => line.startsWith("# TYPE"))
        assert.strictEqual(new Set(types).size, types.length)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "restarts on its folder with the same nodes, pod CIDRs, pods and workloads, and evicts no pod, whether it was killed or stopped",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const start = Effect.gen(function* () {
          const up = yield* startRollcall("up", "--nodes", "4", "--zones", "2", "--port", "0", "--data-dir", folder)
          yield* up.waitForOutput(/4 nodes are Ready/)
          const [, kubeconfig = ""] = yield* up.waitForOutput(KUBECONFIG)
          return { up, cluster: yield* clusterOf(kubeconfig) }
        })
        let expected: ReadonlyArray<string> = []
        let blocks: ReadonlyArray<string> = []
        for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const { cluster, up } = yield* start
              const pods = Effect.map(cluster.list("Pod", { namespace: "default" }), ({ items }) => runningPods(items))
              const podCIDRs = Effect.map(cluster.list("Node"), ({ items }) =>
                items
                  .flatMap(({ metadata, spec }) => (spec?.podCIDR ? [`${metadata.name} ${spec.podCIDR}`] : []))
                  .sort()
              )
              if (expected.length === 0) {
                yield* cluster.create("Deployment", deployment("web", 6))
                while ((yield* pods).length < 6) yield* Effect.sleep(50)
                expected = yield* pods
                while ((yield* podCIDRs).length < 4) yield* Effect.sleep(50)
                blocks = yield* podCIDRs
                assert.strictEqual(new Set(blocks.map((block) => block.split(" ")[1])).size, 4)
              } else {
                // Long enough for controllers to act.
                yield* Effect.sleep(1500)
                assert.deepStrictEqual(yield* pods, expected)
                assert.strictEqual((yield* cluster.list("Node")).items.length, 4)
                assert.deepStrictEqual(yield* podCIDRs, blocks)
                const web = yield* cluster.get("Deployment", { namespace: "default", name: "web" })
                assert.strictEqual(web.status?.readyReplicas, 6)
              }
              up.send(signal)
              yield* up.ended
            })
          )
        }
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    90_000
  )

  it.live(
    "exits with 0 once the cluster is ready, if only a check is requested",
    () =>
      Effect.gen(function* () {
        const { code, stdout } = yield* rollcall("up", "--nodes", "5", "--port", "0", "--exit-when-ready")
        assert.strictEqual(code, 0)
        assert.match(stdout, /^5 nodes are Ready/)
      }),
    60_000
  )

  it.live(
    "lets time pass faster",
    () =>
      Effect.gen(function* () {
        const up = yield* startRollcall("up", "--nodes", "1", "--port", "0", "--speed", "60")
        const [, kubeconfig = ""] = yield* up.waitForOutput(KUBECONFIG)
        const cluster = yield* clusterOf(kubeconfig)
        const renewedAt = Effect.map(cluster.list("Lease", { namespace: "kube-node-lease" }), ({ items }) =>
          parseTime(items[0]?.spec?.renewTime ?? "")
        )
        let before = yield* renewedAt
        while (Number.isNaN(before)) {
          yield* Effect.sleep(20)
          before = yield* renewedAt
        }
        yield* Effect.sleep(2000)
        // At least two minutes have passed for the node, with a renewal each ten seconds.
        assert.isAbove((yield* renewedAt) - before, 60_000)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "reports a port or folder in use, and a file that another program wrote",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const port = yield* freePort
        const up = yield* startRollcall("up", "--nodes", "1", "--port", String(port), "--data-dir", join(folder, "one"))
        yield* up.waitForOutput(/1 node is Ready/)
        const taken = yield* rollcall("up", "--nodes", "1", "--port", String(port))
        assert.strictEqual(taken.code, 1)
        assert.match(taken.stderr, new RegExp(`^rollcall: .*${port}`))
        const inUse = yield* rollcall("up", "--nodes", "1", "--port", "0", "--data-dir", join(folder, "one"))
        assert.strictEqual(inUse.code, 1)
        assert.match(inUse.stderr, /^rollcall: .*store\.sqlite is open in another process: stop that one/)

        mkdirSync(join(folder, "two"))
        const foreign = join(folder, "two", "store.sqlite")
        writeFileSync(foreign, "Dear diary")
        const refused = yield* rollcall("apiserver", "--secure-port", "0", "--data-dir", join(folder, "two"))
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /^rollcall: .*store\.sqlite .*not a database/m)
        assert.strictEqual(readFileSync(foreign, "utf8"), "Dear diary")

        const noFolder = yield* rollcall("apiserver", "--secure-port", "0", "--data-dir", foreign)
        assert.strictEqual(noFolder.code, 2)
        assert.match(noFolder.stderr, /^rollcall: command line: --data-dir: /)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )
})
