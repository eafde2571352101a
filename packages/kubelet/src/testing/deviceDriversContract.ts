import { assert, describe } from "@effect/vitest"
import type { ResourceClaim } from "@rollcall/api"
import type { Timers } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { DeviceDriver, DriverDone } from "../dra/DeviceDriver.ts"
import { DeviceDrivers } from "../dra/DeviceDrivers.ts"

/** Longer than any wait of a driver. */
const LONG_WAIT = "1 hour"

const sampleClaim = (driver: string): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "gpu", namespace: "default", uid: "8a0cd3f2" },
  spec: {},
  status: { allocation: { devices: { results: [{ request: "r", driver, pool: "node-1", device: "gpu-0" }] } } }
})

/** What the drivers under test have: one of this name on this node, for this claim. */
export interface DeviceDriversContractOptions {
  readonly node?: string
  readonly driver?: string
  readonly claim?: ResourceClaim
}

/**
 * Tests drivers of devices, in virtual time: each call is answered once, and a call that is repeated succeeds again. `layer` is built
 * for each test.
 */
export const deviceDriversContract = (
  name: string,
  layer: Layer.Layer<DeviceDrivers, never, Timers>,
  { driver = "gpu.example.com", node = "node-1", claim = sampleClaim(driver) }: DeviceDriversContractOptions = {}
): void => {
  type Call = (driver: DeviceDriver, done: DriverDone) => void
  const prepare: Call = (found, done) => found.prepare(claim, done)
  const unprepare: Call = (found, done) => found.unprepare(claim, done)
  const withDriver = (title: string, calls: ReadonlyArray<Call>) =>
    itInVirtualTime(
      title,
      Effect.gen(function* () {
        const found = (yield* DeviceDrivers).of(node, driver)
        if (found === undefined) throw new Error(`no driver ${driver} on ${node}`)
        const answers: Array<string> = []
        for (const call of calls) {
          call(found, (problem) => void answers.push(problem ?? "done"))
          yield* Effect.sleep(LONG_WAIT)
        }
        assert.deepStrictEqual(
          answers,
          calls.map(() => "done")
        )
      }).pipe(Effect.provide(layer))
    )
  describe(`DeviceDrivers: ${name}`, () => {
    withDriver("answer each call once, also those that are repeated", [prepare, prepare, unprepare, unprepare])
    withDriver("unprepare a claim that was never prepared", [unprepare])
    withDriver("prepare a claim again that was unprepared", [prepare, unprepare, prepare])
  })
}
