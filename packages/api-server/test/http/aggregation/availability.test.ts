import { assert, describe, it } from "@effect/vitest"
import type { APIService, EndpointSlice, Service } from "@rollcall/api"
import { local, objectsFault, passed, withAvailable } from "../../../src/http/aggregation/availability.ts"
import { resourcesOfLegacyList, resourcesOfList } from "../../../src/http/aggregation/remoteDiscovery.ts"
import { userHeaders } from "../../../src/http/aggregation/userHeaders.ts"
import { forwardedHeaders } from "../../../src/http/relay/forwardedHeaders.ts"

// The texts are those of kube-apiserver v1.36.2.

const apiService: APIService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.wardle.example.com" },
  spec: { group: "wardle.example.com", version: "v1", service: { name: "ext", namespace: "default", port: 443 } }
}

const service = (spec: NonNullable<Service["spec"]>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "ext", namespace: "default" },
  spec
})

const onPort = (port: number) => service({ type: "ClusterIP", ports: [{ name: "https", port }] })

const slice = (ready: boolean, name = "https"): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "ext-1" },
  addressType: "IPv4",
  endpoints: [{ addresses: ["192.0.2.9"], conditions: { ready } }],
  ports: [{ name, port: 8443 }]
})

describe("the availability of an APIService", () => {
  it("depends on its Service and a ready endpoint of its port", () => {
    const faultOf = (found: Service | undefined, ...slices: ReadonlyArray<EndpointSlice>) => {
      const fault = objectsFault(apiService, { service: found, slices })
      return fault && [fault.reason, fault.message]
    }
    assert.deepStrictEqual(faultOf(undefined), ["ServiceNotFound", 'service/ext in "default" is not present'])
    assert.deepStrictEqual(faultOf(onPort(444)), [
      "ServicePortError",
      'service/ext in "default" is not listening on port 443'
    ])
    assert.deepStrictEqual(faultOf(onPort(443)), [
      "EndpointsNotFound",
      'cannot find endpointslices for service/ext in "default"'
    ])
    const missing = [
      "MissingEndpoints",
      'endpointslices for service/ext in "default" have no addresses with port name "https"'
    ]
    assert.deepStrictEqual(faultOf(onPort(443), slice(false)), missing)
    assert.deepStrictEqual(faultOf(onPort(443), slice(true, "other")), missing)
    assert.isUndefined(faultOf(onPort(443), slice(false), slice(true)))
    assert.isUndefined(faultOf(service({ type: "ExternalName", externalName: "localhost" })))
  })

  it("keeps its time while its status is the same", () => {
    const first = withAvailable(apiService, passed, "2026-01-01T00:00:00Z")
    assert.strictEqual(withAvailable(first, passed, "2026-01-02T00:00:00Z"), first)
    assert.deepStrictEqual(withAvailable(first, local, "2026-01-02T00:00:00Z").status?.conditions, [
      { type: "Available", lastTransitionTime: "2026-01-01T00:00:00Z", ...local }
    ])
  })
})

describe("the discovery of another API server", () => {
  const flunders = { name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs: ["list"] }

  it("is converted from the list of a version", () => {
    const status = { name: "flunders/status", singularName: "", namespaced: true, kind: "Flunder", verbs: ["get"] }
    const fischers = { name: "fischers", singularName: "fischer", namespaced: false, kind: "Fischer", verbs: ["get"] }
    const resources = [{ ...flunders, shortNames: ["fl"] }, status, { ...fischers, categories: ["all"] }]
    assert.deepStrictEqual(resourcesOfLegacyList({ resources }), [
      {
        resource: "flunders",
        responseKind: { group: "", version: "", kind: "Flunder" },
        scope: "Namespaced",
        singularResource: "flunder",
        verbs: ["list"],
        shortNames: ["fl"],
        subresources: [
          { subresource: "status", responseKind: { group: "", version: "", kind: "Flunder" }, verbs: ["get"] }
        ]
      },
      {
        resource: "fischers",
        responseKind: { group: "", version: "", kind: "Fischer" },
        scope: "Cluster",
        singularResource: "fischer",
        verbs: ["get"],
        categories: ["all"]
      }
    ])
  })

  it("is that of the version in an aggregated list, with a kind everywhere", () => {
    const resource = { resource: "a", responseKind: { group: "g", version: "v1", kind: "A" } }
    const version = {
      version: "v1",
      resources: [{ ...resource, subresources: [{ subresource: "s", responseKind: null }] }]
    }
    const list = { items: [{ metadata: { name: "g" }, versions: [{ version: "v2" }, version] }] }
    assert.deepStrictEqual(resourcesOfList(list, "g", "v1"), [
      { ...resource, subresources: [{ subresource: "s", responseKind: { group: "", version: "", kind: "" } }] }
    ])
    assert.deepStrictEqual(resourcesOfList(list, "g", "v3"), [])
  })
})

describe("the headers for another API server", () => {
  it("name the user, with keys of extra escaped", () => {
    const user = { user: "alice", uid: "7", groups: ["one", "two"], extra: { "example.com/team": ["a b", "c"] } }
    assert.deepStrictEqual(userHeaders(user), [
      ...["X-Remote-User", "alice"],
      ...["X-Remote-Uid", "7"],
      ...["X-Remote-Group", "one"],
      ...["X-Remote-Group", "two"],
      ...["X-Remote-Extra-example.com%2Fteam", "a b"],
      ...["X-Remote-Extra-example.com%2Fteam", "c"]
    ])
  })

  it("carry a text beyond ASCII as the bytes of UTF-8", () => {
    const headers = userHeaders({ user: "José", groups: ["日"] })
    const bytes = headers.map((value) => Buffer.from(value, "latin1").toString())
    assert.deepStrictEqual(bytes, ["X-Remote-User", "José", "X-Remote-Group", "日"])
  })

  it("have nothing that a client could pretend, and nothing of its connection", () => {
    const sent = {
      Host: "x",
      Authorization: "Bearer t",
      "X-Remote-User": "evil",
      "x-remote-extra-a": "evil",
      "Impersonate-User": "evil",
      Connection: "keep-alive",
      "Transfer-Encoding": "chunked",
      "Content-Length": "3",
      Accept: "application/json"
    }
    assert.deepStrictEqual(forwardedHeaders(Object.entries(sent).flat()), ["Accept", "application/json"])
  })
})
