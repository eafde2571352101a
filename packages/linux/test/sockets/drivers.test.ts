import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { ResourceClaim } from "@rollcall/api"
import { DeviceDrivers, type HealthListener } from "@rollcall/kubelet"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { DRAPlugin } from "../../src/generated/dra_pb.ts"
import { DRAResourceHealth } from "../../src/generated/drahealth_pb.ts"
import { DRAPlugin as DRAPluginV1beta1 } from "../../src/generated/drav1beta1_pb.ts"
import { Registration } from "../../src/generated/pluginregistration_pb.ts"
import { layerDraDrivers } from "../../src/sockets/index.ts"
import { serve } from "../../src/sockets/serve.ts"

const DRIVER = "gpu.example.com"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "drivers-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const claim = (name: string): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: {}
})

/** A driver that prepares claims, except those named `broken` and `forgotten`. */
const serveDriver = Effect.fnUntraced(function* (rootDir: string, calls: Array<string>, services = ["v1.DRAPlugin"]) {
  const endpoint = join(rootDir, "dra.sock")
  const answer = (verb: string, claims: ReadonlyArray<{ readonly uid: string; readonly name: string }>) =>
    Object.fromEntries(
      claims.flatMap(({ name, uid }) => {
        calls.push(`${verb} ${name}`)
        const devices = [{ requestNames: ["r"], poolName: "p", deviceName: "d", cdiDeviceIds: ["vendor/class=d"] }]
        return name === "forgotten" ? [] : [[uid, { error: name === "broken" ? "no such device" : "", devices }]]
      })
    )
  yield* serve(endpoint, (router) => {
    router.service(services.includes("v1beta1.DRAPlugin") ? DRAPluginV1beta1 : DRAPlugin, {
      nodePrepareResources: ({ claims }) => ({ claims: answer("prepare", claims) }),
      nodeUnprepareResources: ({ claims }) => ({ claims: answer("unprepare", claims) })
    })
    router.service(DRAResourceHealth, {
      nodeWatchResources: async function* () {
        const device = { poolName: "p", deviceName: "d" }
        yield { devices: [{ device, health: 2, message: "é".repeat(600), healthCheckTimeoutSeconds: 5n }] }
        yield { devices: [{ device, health: 9 }] }
      }
    })
  })
  yield* serve(join(rootDir, "plugins_registry", "gpu-reg.sock"), (router) =>
    router.service(Registration, {
      getInfo: () => ({ type: "DRAPlugin", name: DRIVER, endpoint, supportedVersions: services }),
      notifyRegistrationStatus: ({ error, pluginRegistered }) => {
        calls.push(pluginRegistered ? "registered" : `refused: ${error}`)
        return {}
      }
    })
  )
})

/** A socket that accepts connections, and nothing more. */
const silentPlugin = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer()
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const setUp = Effect.gen(function* () {
  const rootDir = yield* temporaryFolder
  const { of, watchHealth } = Context.get(yield* Layer.build(layerDraDrivers(rootDir)), DeviceDrivers)
  const calls: Array<string> = []
  return { rootDir, calls, driver: () => of("node-1", DRIVER), watchHealth }
})

const waitFor = Effect.fnUntraced(function* (what: string, check: () => boolean) {
  for (let tries = 0; tries < 500 && !check(); tries++) yield* Effect.sleep("10 millis")
  assert.isTrue(check(), what)
})

describe("drivers of devices on sockets", () => {
  it.live("register, and prepare the claims of pods", () =>
    Effect.gen(function* () {
      const { calls, driver, rootDir } = yield* setUp
      const scope = yield* Scope.fork(yield* Effect.scope)
      assert.isUndefined(driver())
      yield* serveDriver(rootDir, calls).pipe(Scope.provide(scope))
      yield* waitFor("a driver", () => driver() !== undefined)
      assert.deepStrictEqual(calls, ["registered"])
      const answered = (verb: "prepare" | "unprepare", name: string) =>
        Effect.callback<string>((resume) => {
          let isWithinCall = true
          driver()?.[verb](claim(name), (problem = "done") =>
            resume(Effect.succeed(isWithinCall ? "within the call" : problem))
          )
          isWithinCall = false
        })
      assert.strictEqual(yield* answered("prepare", "one"), "done")
      assert.strictEqual(yield* answered("prepare", "one"), "done")
      assert.strictEqual(yield* answered("prepare", "broken"), "no such device")
      assert.strictEqual(yield* answered("prepare", "forgotten"), "NodePrepareResources skipped 1 ResourceClaims")
      assert.strictEqual(yield* answered("unprepare", "one"), "done")
      assert.deepStrictEqual(calls.slice(-2), ["prepare forgotten", "unprepare one"])
      yield* Scope.close(scope, Exit.void)
      yield* waitFor("no driver", () => driver() === undefined)
    }).pipe(Effect.scoped)
  )

  it.live("tell what they have prepared and how their devices are, also with the older service", () =>
    Effect.gen(function* () {
      const { calls, driver, rootDir, watchHealth } = yield* setUp
      const told: Array<Parameters<HealthListener>> = []
      watchHealth?.("node-1", (...report) => told.push(report))
      yield* serveDriver(rootDir, calls, ["v1beta1.DRAPlugin"])
      yield* waitFor("a driver", () => driver() !== undefined)
      const prepared = yield* Effect.callback<unknown>((resume) => {
        driver()?.prepare(claim("one"), (_, devices) => resume(Effect.succeed(devices?.map((one) => one.cdiDeviceIDs))))
      })
      assert.deepStrictEqual(prepared, [["vendor/class=d"]])
      yield* waitFor("the end of the reports", () => told.length >= 3)
      const [, first] = told[0] ?? assert.fail("no report")
      assert.deepStrictEqual(
        first?.map(({ health, message, timeoutMs }) => [health, message, timeoutMs]),
        [["Unhealthy", `${"é".repeat(510)}\ufffd...`, 5000]]
      )
      assert.deepStrictEqual(
        told.slice(1).map(([name, devices]) => [name, devices?.map(({ health }) => health)]),
        [
          [DRIVER, ["Unknown"]],
          [DRIVER, undefined]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("keep what is known of their devices in a file, but not that their process ends", () =>
    Effect.gen(function* () {
      const rootDir = yield* temporaryFolder
      const scope = yield* Scope.fork(yield* Effect.scope)
      const drivers = yield* Layer.build(layerDraDrivers(rootDir)).pipe(Scope.provide(scope))
      const { healthCheckpoint } = Context.get(drivers, DeviceDrivers)
      assert.isUndefined(healthCheckpoint?.read())
      healthCheckpoint?.write("known")
      assert.strictEqual(readFileSync(join(rootDir, "dra_health_state"), "utf8"), "known")
      yield* Scope.close(scope, Exit.void)
      healthCheckpoint?.write("ended")
      assert.strictEqual(healthCheckpoint?.read(), "known")
    }).pipe(Effect.scoped)
  )

  it.live("are told why they are refused, and asked again", () =>
    Effect.gen(function* () {
      const { calls, driver, rootDir } = yield* setUp
      const services: Array<string> = ["v1alpha4.Node"]
      yield* serveDriver(rootDir, calls, services)
      yield* waitFor("a refusal", () => calls.length > 0)
      const supported = '["v1.DRAPlugin" "v1beta1.DRAPlugin"]'
      const reason = `none of services supported by the plugin (["v1alpha4.Node"]) are supported by the kubelet (${supported})`
      const where = `DRA driver plugin ${DRIVER} at endpoint ${join(rootDir, "plugins_registry", "gpu-reg.sock")}`
      assert.strictEqual(calls[0], `refused: invalid supported gRPC versions of ${where}: ${reason}`)
      assert.isUndefined(driver())
      services.push("v1.DRAPlugin")
      yield* waitFor("a driver", () => driver() !== undefined)
    }).pipe(Effect.scoped)
  )

  it.live("do not wait for a plugin that does not answer", () =>
    Effect.gen(function* () {
      const { calls, driver, rootDir } = yield* setUp
      yield* silentPlugin(join(rootDir, "plugins_registry", "a.sock"))
      yield* Effect.sleep("1500 millis")
      yield* serveDriver(rootDir, calls)
      yield* waitFor("a driver", () => driver() !== undefined)
    }).pipe(Effect.scoped)
  )
})
