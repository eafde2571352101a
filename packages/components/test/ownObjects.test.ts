import { assert, describe, it } from "@effect/vitest"
import { kindNames, resourceOf } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { type Answer, type ApiRequest, type ClusterShape, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { frontProxiesOf } from "../src/apiserver/frontProxies.ts"
import { ownVersions } from "../src/apiserver/kept/apiServices.ts"
import { identityName } from "../src/apiserver/kept/identityLease.ts"
import {
  advertisedAddress,
  firstAddress,
  keepOwnObjects,
  type OwnServer,
  reachableAt
} from "../src/apiserver/kept/keepOwnObjects.ts"
import { SettledAddresses } from "../src/apiserver/kept/SettledAddresses.ts"

const client = { user: "jane", groups: [], userAgent: "" }
const another = { clusterIP: "10.96.0.10", clusterIPs: ["10.96.0.10"] }

const own: OwnServer = {
  hostname: "vm",
  id: "1",
  ip: "192.0.2.2",
  port: 6443,
  serviceRange: "10.96.0.0/12",
  clientCa: "PEM",
  frontProxies: frontProxiesOf("PROXY"),
  leases: undefined,
  keepsEndpoints: true,
  settledAddresses: new SettledAddresses(),
  observe: () => {}
}

/** Keeps the objects with the changes of the server that the test runs with. */
const keep = Effect.fnUntraced(function* (api: ClusterShape, settledAddresses = own.settledAddresses) {
  const { registry } = yield* ApiServer
  const observe: OwnServer["observe"] = (kind, changed) =>
    registry.kinds[kind].cache.observe((object, previous) => changed(object as never, previous as never))
  yield* keepOwnObjects(api, { ...own, settledAddresses, observe })
})

describe("the objects that an API server keeps of itself", () => {
  it("names the identity Lease as kube-apiserver does", () => {
    assert.strictEqual(identityName("vm"), "apiserver-wlv32tlttr4jl3gtroqexyxapa")
  })

  it("gives the Service kubernetes the first address of the range", () => {
    assert.strictEqual(firstAddress("10.96.0.0/12"), "10.96.0.1")
    assert.strictEqual(firstAddress("fd00::/112"), "fd00::1")
    assert.isUndefined(firstAddress("nowhere"))
  })

  it("advertises where it listens, and of loopback or any address one of the host's", () => {
    assert.strictEqual(advertisedAddress("192.0.2.7", ["10.0.0.1"]), "192.0.2.7")
    assert.strictEqual(advertisedAddress("0.0.0.0", ["fd00::2", "10.0.0.1"]), "10.0.0.1")
    assert.strictEqual(advertisedAddress("127.0.0.1", ["fd00::2"]), "fd00::2")
    assert.isUndefined(advertisedAddress("localhost", []))
  })

  it("tells clients a host and a port, whatever the port", () => {
    assert.deepStrictEqual(
      ["0.0.0.0", "::", "fd00::2", "192.0.2.1"].map((host) => reachableAt(host, 443)),
      ["127.0.0.1:443", "[::1]:443", "[fd00::2]:443", "192.0.2.1:443"]
    )
  })

  it("restores what a client changed, and deletes what an earlier server left", () => {
    const seen = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        const at = { namespace: "default", name: "kubernetes" }
        const old = { holderIdentity: "old", leaseDurationSeconds: 3600, renewTime: "2025-12-31T00:00:00.000000Z" }
        yield* api.create("Lease", {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: {
            namespace: "kube-system",
            name: "apiserver-old",
            labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" }
          },
          spec: old
        })
        yield* keepOwnObjects(api, own)
        yield* Effect.sleep("1 second")
        const made = yield* api.get("Service", at)
        yield* api.patch("Endpoints", at, "merge", { subsets: null, metadata: { labels: null } })
        yield* api.delete("EndpointSlice", at)
        yield* api.patch("Service", at, "merge", { spec: { ports: [{ name: "https", port: 80 }] } })
        yield* Effect.sleep("10 seconds")
        const { items } = yield* api.list("Lease", { namespace: "kube-system" })
        const trust = { namespace: "kube-system", name: "extension-apiserver-authentication" }
        const since = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" }
        return {
          clusterIP: made.spec?.clusterIP,
          ports: (yield* api.get("Service", at)).spec?.ports?.map(({ port, targetPort }) => [port, targetPort]),
          endpoints: (yield* api.get("Endpoints", at)).subsets?.[0]?.addresses,
          slice: (yield* api.get("EndpointSlice", at)).endpoints?.[0]?.addresses,
          leases: items.map(({ metadata, spec }) => [
            metadata.name,
            spec?.holderIdentity,
            spec?.renewTime?.slice(11, 19)
          ]),
          since: (yield* api.get("ConfigMap", since)).data,
          trust: (yield* api.get("ConfigMap", trust)).data
        }
      })
    )
    const name = "apiserver-wlv32tlttr4jl3gtroqexyxapa"
    assert.deepStrictEqual(seen, {
      clusterIP: "10.96.0.1",
      ports: [[443, 6443]],
      endpoints: [{ ip: "192.0.2.2" }],
      slice: ["192.0.2.2"],
      leases: [[name, `${name}_1`, "00:00:10"]],
      since: { since: "2026-01-01" },
      trust: {
        "client-ca-file": "PEM",
        "requestheader-allowed-names": '["front-proxy-client"]',
        "requestheader-client-ca-file": "PROXY",
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-username-headers": '["X-Remote-User"]'
      }
    })
  })

  it("makes an object for each address of a Service, and for the range", () => {
    const seen = runWithApiServer(
      (admin) =>
        Effect.gen(function* () {
          const api = fromConnection(admin)
          yield* keep(api)
          yield* Effect.sleep("2 seconds")
          const service = { apiVersion: "v1", kind: "Service", metadata: { namespace: "default", name: "a" } } as const
          const spec = { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"], ports: [{ port: 80 }] }
          yield* api.create("Service", { ...service, spec })
          yield* Effect.sleep("2 seconds")
          const addresses = Effect.map(api.list("IPAddress"), ({ items }) =>
            items.map(({ metadata, spec: of }) => [metadata.name, of?.parentRef?.name])
          )
          const before = yield* addresses
          yield* api.delete("Service", service.metadata)
          yield* Effect.sleep("2 seconds")
          const range = yield* api.get("ServiceCIDR", { name: "kubernetes" })
          return {
            before,
            after: yield* addresses,
            cidrs: range.spec?.cidrs,
            is: range.status?.conditions?.[0]?.message
          }
        }).pipe(Effect.scoped),
      { server: { managedFields: true } }
    )
    assert.deepStrictEqual(seen, {
      before: [
        ["10.96.0.1", "kubernetes"],
        ["10.96.0.9", "a"]
      ],
      after: [["10.96.0.1", "kubernetes"]],
      cidrs: ["10.96.0.0/12"],
      is: "Kubernetes default Service CIDR is ready"
    })
  })

  it("answers writes of Services once the objects of their addresses are there, or are gone", () => {
    const seen = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        const settledAddresses = new SettledAddresses()
        const serve = settledAddresses.serve((_, request, reply) => {
          admin.send(request, (answer) => reply(answer, 200, []))
        })
        /** Sends a request as another client, and returns the addresses that there are when it is answered. */
        const after = (request: ApiRequest) =>
          Effect.callback<Answer>((resume) => serve(client, request, (answer) => resume(Effect.succeed(answer)))).pipe(
            Effect.andThen(api.list("IPAddress")),
            Effect.map(({ items }) => items.map(({ metadata }) => metadata.name))
          )
        const at = { kind: "Service", namespace: "default" } as const
        const spec = { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"], ports: [{ port: 80 }] }
        const object = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec }
        const unkept = yield* after({ ...at, verb: "create", object: { ...object, metadata: { name: "b" } } })
        const scope = yield* Scope.make()
        yield* keep(api, settledAddresses).pipe(Scope.provide(scope))
        yield* Effect.sleep("2 seconds")
        const created = yield* after({ ...at, verb: "create", object: { ...object, spec: { ...spec, ...another } } })
        const refused = yield* after({ ...at, verb: "create", object })
        const deleted = yield* after({ ...at, verb: "delete", name: "a" })
        const closing = yield* Effect.forkChild(after({ ...at, verb: "delete", name: "b" }), { startImmediately: true })
        yield* Scope.close(scope, Exit.void)
        return { unkept, created, refused, deleted, closing: yield* Fiber.join(closing) }
      })
    )
    assert.deepStrictEqual(seen, {
      unkept: [],
      created: ["10.96.0.1", "10.96.0.10", "10.96.0.9"],
      refused: ["10.96.0.1", "10.96.0.10", "10.96.0.9"],
      deleted: ["10.96.0.1", "10.96.0.9"],
      closing: ["10.96.0.1", "10.96.0.9"]
    })
  })

  it("makes an object that was deleted by hand again within three minutes, and says so", () => {
    const seen = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        yield* keep(api)
        yield* Effect.sleep("2 seconds")
        yield* api.delete("IPAddress", { name: "10.96.0.1" })
        yield* Effect.sleep("170 seconds")
        const early = yield* api.list("IPAddress")
        yield* Effect.sleep("10 seconds")
        const late = yield* api.list("IPAddress")
        const { items } = yield* api.list("Event", { fieldSelector: "involvedObject.kind=Service" })
        const told = items.map(({ action, message, reason, reportingComponent: by }) => [reason, action, message, by])
        return [early.items.length, late.items.length, ...told]
      }).pipe(Effect.scoped)
    )
    assert.deepStrictEqual(seen, [
      0,
      1,
      [
        "ClusterIPNotAllocated",
        "ClusterIPAllocation",
        "Cluster IP [IPv4]: 10.96.0.1 is not allocated; repairing",
        "ipallocator-repair-controller"
      ]
    ])
  })

  it("makes an object for each version that the server serves, and for those of custom resources", () => {
    const seen = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        yield* keep(api)
        const group = "x.io"
        const names = { plural: "foos", kind: "Foo" }
        const made = yield* api.create("CustomResourceDefinition", {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: "foos.x.io" },
          spec: {
            group,
            scope: "Namespaced",
            names,
            versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
          }
        })
        const established = { type: "Established", status: "True" } as const
        yield* api.updateStatus("CustomResourceDefinition", {
          ...made,
          status: { conditions: [established], acceptedNames: names, storedVersions: ["v1"] }
        })
        yield* Effect.sleep("2 seconds")
        const services = Effect.map(api.list("APIService"), ({ items }) => items.map(({ metadata }) => metadata.name))
        const before = yield* services
        yield* api.delete("CustomResourceDefinition", { name: "foos.x.io" })
        yield* Effect.sleep("2 seconds")
        return [before, yield* services] as const
      }).pipe(Effect.scoped)
    )
    const served = ownVersions.map(({ group, version }) => `${version}.${group}`)
    assert.deepStrictEqual(seen[0], [...served, "v1.x.io"].toSorted())
    assert.deepStrictEqual(seen[1], served.toSorted())
    const modelled = new Set(
      kindNames.map((kind) => resourceOf(kind)).map(({ group, version }) => `${version}.${group}`)
    )
    modelled.delete("v1.apiregistration.k8s.io")
    assert.includeMembers(served, [...modelled])
  })
})
