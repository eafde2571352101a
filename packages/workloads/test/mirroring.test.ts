import { assert, describe, it } from "@effect/vitest"
import type { Endpoints, Service } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerEndpointSliceMirroring } from "../src/index.ts"

const metadata = { name: "db", namespace: "default" }
const service: Service = { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 5432 }] } }
const endpointsOf = (...ips: ReadonlyArray<string>): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { ...metadata, labels: { team: "a" } },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 5432, protocol: "TCP" }] }]
})

describe("the mirroring of Endpoints", () => {
  it("keeps slices for a service without a selector, and none once there are no Endpoints", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const slices = Effect.map(cluster.list("EndpointSlice"), ({ items }) =>
          items.map(({ addressType, endpoints = [], metadata: { labels } }) => [
            addressType,
            endpoints.flatMap(({ addresses }) => addresses).sort(),
            labels
          ])
        )
        const labels = {
          team: "a",
          "kubernetes.io/service-name": "db",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io"
        }
        return Effect.gen(function* () {
          yield* cluster.create("Service", service)
          const made = yield* cluster.create("Endpoints", endpointsOf("192.0.2.1", "2001:db8::1"))
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual((yield* slices).sort(), [
            ["IPv4", ["192.0.2.1"], labels],
            ["IPv6", ["2001:db8::1"], labels]
          ])
          yield* cluster.update("Endpoints", { ...endpointsOf("192.0.2.1", "192.0.2.2"), metadata: made.metadata })
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(yield* slices, [["IPv4", ["192.0.2.1", "192.0.2.2"], labels]])
          const uids = Effect.map(cluster.list("EndpointSlice"), ({ items }) =>
            items.map((slice) => slice.metadata.uid)
          )
          const before = yield* uids
          const subsets = [{ addresses: [{ ip: "192.0.2.3" }], ports: [{ port: 5433, protocol: "TCP" as const }] }]
          yield* cluster.update("Endpoints", { ...made, subsets, metadata: { ...made.metadata, resourceVersion: "" } })
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(yield* slices, [["IPv4", ["192.0.2.3"], labels]])
          assert.deepStrictEqual(yield* uids, before)
          const found = yield* cluster.get("Service", metadata)
          const selecting = { ...found.spec, type: "ExternalName", externalName: "a.example", selector: { app: "db" } }
          const { clusterIP: _, clusterIPs: __, ...spec } = selecting
          const external = yield* cluster.update("Service", { ...found, spec } as Service)
          yield* Effect.sleep("1 second")
          assert.isEmpty(yield* slices, "a selector counts, also that of an ExternalName")
          yield* cluster.update("Service", { ...external, spec: { ...external.spec, selector: {} } } as Service)
          yield* Effect.sleep("1 second")
          assert.strictEqual((yield* slices).length, 1)
          yield* cluster.delete("Endpoints", metadata)
          yield* Effect.sleep("1 second")
          assert.isEmpty(yield* slices)
        }).pipe(Effect.provide(layerEndpointSliceMirroring.pipe(Layer.provide(Cluster.layerConnection(admin)))))
      },
      { seed: "mirroring" }
    ))

  it("begins when a service loses its selector, with the Endpoints that it had", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const count = Effect.map(cluster.list("EndpointSlice"), ({ items }) => items.length)
        return Effect.gen(function* () {
          const spec = { ...service.spec, selector: { app: "db" } }
          const made = yield* cluster.create("Service", { ...service, spec })
          const labels = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" }
          yield* cluster.create("Endpoints", { ...endpointsOf("192.0.2.1"), metadata: { ...metadata, labels } })
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* count, 0)
          yield* cluster.update("Service", { ...made, spec: { ...made.spec, selector: {} } } as Service)
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* count, 1)
        }).pipe(Effect.provide(layerEndpointSliceMirroring.pipe(Layer.provide(Cluster.layerConnection(admin)))))
      },
      { seed: "mirroring" }
    ))
})
