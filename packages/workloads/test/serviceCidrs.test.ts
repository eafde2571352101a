import { assert, describe, it } from "@effect/vitest"
import type { IPAddress, ServiceCIDR } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerServiceCidrs } from "../src/index.ts"
import { containing, isWithinOthers, overlapping } from "../src/servicecidr/ranges.ts"

const rangeOf = (name: string, ...cidrs: ReadonlyArray<string>): ServiceCIDR => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name },
  spec: { cidrs }
})

const addressOf = (name: string): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: {
    name,
    labels: {
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"
    }
  },
  spec: { parentRef: { resource: "services", namespace: "default", name: "web" } }
})

describe("ranges of services", () => {
  const small = rangeOf("small", "10.0.1.0/24")
  const large = rangeOf("large", "10.0.0.0/16", "fd00::/112")
  const other = rangeOf("other", "10.1.0.0/24")
  const all = [small, large, other]

  it("overlap, contain each other, and hold addresses but the first and IPv4's last", () => {
    assert.deepStrictEqual(overlapping(small, all), ["small", "large"])
    assert.isTrue(isWithinOthers(small, all))
    assert.isFalse(isWithinOthers(large, all))
    assert.isTrue(isWithinOthers(small, [small, rangeOf("twin", "10.0.1.0/24")]))
    assert.deepStrictEqual(containing("10.0.1.255", all), ["large"])
    assert.deepStrictEqual(containing("10.0.1.0", all), ["large"])
    assert.deepStrictEqual(containing("10.0.1.1", all), ["small", "large"])
    assert.deepStrictEqual(containing("fd00::ffff", all), ["large"])
    assert.deepStrictEqual(containing("fd00::", all), [])
  })
})

describe("the controller of ServiceCIDRs", () => {
  it("says that a range is ready, and keeps a deleted one until no address needs it, and ten seconds", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const state = Effect.map(cluster.list("ServiceCIDR"), ({ items }) =>
          items.map(({ metadata, status }) => {
            const [ready] = status?.conditions ?? []
            return [metadata.name, metadata.finalizers?.length, ready?.status, ready?.reason]
          })
        )
        return Effect.gen(function* () {
          yield* cluster.create("ServiceCIDR", rangeOf("more", "192.0.2.0/24"))
          yield* cluster.create("IPAddress", addressOf("192.0.2.7"))
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(yield* state, [["more", 1, "True", ""]])
          yield* cluster.delete("ServiceCIDR", { name: "more" })
          yield* Effect.sleep("30 seconds")
          assert.deepStrictEqual(yield* state, [["more", 1, "False", "Terminating"]])
          yield* cluster.create("ServiceCIDR", rangeOf("wide", "192.0.0.0/16"))
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(yield* state, [["wide", 1, "True", ""]])
          yield* cluster.delete("ServiceCIDR", { name: "wide" })
          yield* cluster.delete("IPAddress", { name: "192.0.2.7" })
          yield* Effect.sleep("5 seconds")
          assert.lengthOf(yield* state, 1)
          yield* Effect.sleep("6 seconds")
          assert.deepStrictEqual(yield* state, [])
        }).pipe(Effect.provide(layerServiceCidrs.pipe(Layer.provide(Cluster.layerConnection(admin)))))
      },
      { seed: "ranges", server: { managedFields: true } }
    ))
})
