import type { ResourceClaim } from "@rollcall/api"
import type { ApiRequest, Connection } from "@rollcall/cluster"
import { cancellable } from "@rollcall/cluster"
import { makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { DeviceDrivers } from "../../src/index.ts"
import { deviceDriversContract } from "../../src/testing/index.ts"

const opaque = (driver: string, parameters: object) => ({ source: "FromClaim", opaque: { driver, parameters } })

const claim: ResourceClaim = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c", namespace: "default", uid: "u" },
  spec: {},
  status: {
    allocation: {
      devices: {
        config: [opaque("gpu", { reportDeviceStatus: true }), opaque("nic", { mtu: 9000 })],
        results: [
          { request: "r", driver: "gpu", pool: "a", device: "gpu-0" },
          { request: "s", driver: "nic", pool: "a", device: "nic-0" }
        ]
      }
    }
  }
}
const options = { node: "a", driver: "gpu", claim }

const makeModelled = () => {
  const requests: Array<ApiRequest> = []
  const connection: Connection = {
    send: cancellable((request, reply) => {
      requests.push(request)
      reply(Result.succeed(claim))
    }),
    watch: () => () => undefined
  }
  return { requests, layer: DeviceDrivers.layerModelled(connection) }
}

deviceDriversContract("modelled", makeModelled().layer, options)

describe("modelled drivers", () => {
  it("report their own devices in the claim's status, if its parameters ask for that", async () => {
    const { layer, requests } = makeModelled()
    const { timers } = makeVirtualTime(Date.UTC(2026, 0, 1))
    const drivers = await Effect.runPromise(
      Effect.provide(DeviceDrivers, Layer.provide(layer, Layer.succeed(Timers, timers)))
    )
    drivers.of("a", "gpu")?.prepare(claim, (problem) => assert.isUndefined(problem))
    drivers.of("a", "nic")?.prepare(claim, (problem) => assert.isUndefined(problem))
    assert.strictEqual(requests.length, 1)
    const [request] = requests
    const conditions = [
      {
        type: "Ready",
        status: "True",
        reason: "Prepared",
        message: "prepared on node a",
        lastTransitionTime: "2026-01-01T00:00:00Z"
      }
    ]
    assert.deepStrictEqual(request?.verb === "patch" && (request.body as ResourceClaim).status, {
      devices: [{ driver: "gpu", pool: "a", device: "gpu-0", conditions }]
    })
  })
})
