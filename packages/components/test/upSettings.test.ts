import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { readFlags } from "@rollcall/flags"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Host } from "../src/index.ts"
import { upProgram } from "../src/programs/up.ts"
import { upSettings } from "../src/up/upSettings.ts"

const host = Host.of({
  environment: {},
  hostname: "m1",
  homeFolder: "/home/nobody",
  temporaryFolder: "/tmp",
  wallClockMs: Date.now,
  processId: 1,
  print: () => undefined,
  log: () => undefined,
  output: () => undefined,
  error: () => undefined,
  stdin: () => Promise.resolve("")
})

const settingsFrom = (...args: ReadonlyArray<string>) => {
  const parsed = readFlags(upProgram, args)
  if (Result.isFailure(parsed)) return assert.fail(parsed.failure.message)
  return upSettings(parsed.success.values, parsed.success).pipe(
    Effect.map(({ settings }) => settings),
    Effect.provideService(Host, host),
    Effect.provide([NodeServices.layer, layerWallClock()])
  )
}

const rangeFrom = (...args: ReadonlyArray<string>) =>
  Effect.map(settingsFrom(...args), ({ server }) => server.security.services?.range)

describe("the settings of up", () => {
  it.effect("give the server the IPv4 range of Services that the node IPAM controller leaves out", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* rangeFrom())
      assert.strictEqual(yield* rangeFrom("--service-cluster-ip-range=10.7.0.0/24"), "10.7.0.0/24")
      assert.strictEqual(yield* rangeFrom("--service-cluster-ip-range=fd00::/108,10.7.0.0/24"), "10.7.0.0/24")
      const { message } = yield* Effect.flip(settingsFrom("--service-cluster-ip-range=10.0.0.0/8"))
      assert.include(message, "the mask must be >= 12")
      const none = yield* Effect.flip(settingsFrom("--service-cluster-ip-range=fd00::/108"))
      assert.include(none.message, "expected one IPv4 CIDR")
    })
  )

  it.effect("tell the scheduler the machine that its Events name", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settingsFrom()).controlPlane.placing.hostname, "m1")
    })
  )
})
