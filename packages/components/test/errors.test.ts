import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { kubeletConfig } from "@rollcall/kubelet"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import { klogLine, layerLog } from "../src/log/Klog.ts"
import { followManifests } from "../src/machine/followManifests.ts"
import { healthServer } from "../src/serving/HealthServer.ts"

const fail = (): never => {
  throw new Error("by hand")
}

describe("a health server", () => {
  it.live("answers a check that throws as failed, a page that throws with 500, and metrics without what throws", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const port = yield* healthServer({
        host: "127.0.0.1",
        port: 0,
        flagNames: { port: "--secure-port", host: "--bind-address" },
        checks: () => [
          { name: "well", problem: () => undefined },
          { name: "odd", problem: fail }
        ],
        pages: { "/odd": fail, "/page": () => ({ type: "text/plain", body: "a page" }) },
        collect: fail
      })
      const get = (path: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`)
          return [answer.status, await answer.text()] as const
        })
      assert.deepStrictEqual(yield* get("/healthz/well"), [200, "ok"])
      const [code, body] = yield* get("/healthz")
      assert.strictEqual(code, 500)
      assert.include(body, "[-]odd failed")
      const [, slis] = yield* get("/metrics/slis")
      assert.include(slis, 'kubernetes_healthcheck{name="odd",type="healthz"} 0\n')
      assert.include(slis, 'kubernetes_healthchecks_total{name="well",status="success",type="healthz"} 2\n')
      assert.deepStrictEqual(yield* get("/odd"), [500, "Internal Server Error\n"])
      assert.deepStrictEqual(yield* get("/page"), [200, "a page"])
      const [metricsCode, metrics] = yield* get("/metrics")
      assert.strictEqual(metricsCode, 200)
      assert.match(metrics, /rollcall_handled_errors_total\{source="page"\} \d/)
      assert.strictEqual(lines.filter((line) => line.includes('"Unhandled error"')).length, 2)
      assert.isTrue(lines.some((line) => line.includes('path="/odd"') && line.includes("Error: by hand")))
    }).pipe(Effect.scoped, Effect.provide(layerLog("text", (line) => lines.push(line))))
  })
})

describe("a log", () => {
  it.effect("that cannot be written costs its line only", () =>
    Effect.gen(function* () {
      yield* Effect.logError("lost")
      assert.include(klogLine(new Date(0), "Error", "kept", {}), "kept")
    }).pipe(Effect.provide(layerLog("text", fail)))
  )
})

describe("manifests", () => {
  it.live("are followed again after the kubelet threw", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "manifests-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      writeFileSync(
        join(folder, "a.yaml"),
        JSON.stringify({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "a" },
          spec: { containers: [{ name: "c", image: "i" }] }
        })
      )
      const told = yield* Queue.unbounded<number>()
      let calls = 0
      yield* followManifests({
        config: kubeletConfig({ staticPodPath: folder, fileCheckFrequencyMs: 50 }),
        setStaticPods: (manifests) => {
          if (calls++ === 0) fail()
          Queue.offerUnsafe(told, manifests.length)
        }
      })
      assert.strictEqual(yield* Queue.take(told), 1)
    }).pipe(
      Effect.scoped,
      Effect.provide(layerWallClock({ speed: 20 })),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
})
