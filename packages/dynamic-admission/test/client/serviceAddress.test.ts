import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { addressOf, type ServiceObjects } from "../../src/client/serviceAddress.ts"

const service = (spec: object): KubeObject =>
  ({ apiVersion: "v1", kind: "Service", metadata: { name: "hook" }, spec }) as KubeObject

const slice = (service: string, address: string, ready?: boolean): KubeObject =>
  ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], ...(ready === undefined ? {} : { conditions: { ready } }) }],
    ports: [{ name: "", port: 9443 }]
  }) as KubeObject

const registryOf = (object: KubeObject | undefined, slices: ReadonlyArray<KubeObject> = []) =>
  ({
    kinds: {
      Service: { cache: { get: () => object && { object } } },
      EndpointSlice: { cache: { visit: (_: string, see: (object: KubeObject) => void) => slices.forEach(see) } }
    }
  }) as unknown as ServiceObjects

const config = { service: { name: "hook", namespace: "default", path: "x" } }
const clusterIP = { clusterIP: "10.96.0.7", ports: [{ port: 443 }] }
const connectTo = (registry: ServiceObjects) => {
  const { connectTo, text } = addressOf(config, registry)
  assert.strictEqual(text, "https://hook.default.svc:443/x")
  return Result.isSuccess(connectTo) ? connectTo.success : connectTo.failure
}

describe("a webhook at a service", () => {
  it("has the path / if it names none", () => {
    const { text } = addressOf({ service: { name: "hook", namespace: "default" } }, registryOf(undefined))
    assert.strictEqual(text, "https://hook.default.svc:443/")
  })
  it("is called at the path as Go decodes, cleans and escapes it", () => {
    const urls = ["/a%3Ab%2Fc%20d/%5B%7B%22x%22%7D%5D", "//a/./b/../c/", "", "/it's(1)*!"]
    const called = urls.map((path) =>
      addressOf({ url: `https://h:1${path}` }, registryOf(undefined)).text.slice("https://h:1".length)
    )
    assert.deepStrictEqual(called, ["/a:b/c%20d/%5B%7B%22x%22%7D%5D", "/a/c", "/", "/it%27s%281%29%2A%21"])
  })
  it("is reached at a ready endpoint of the service", () => {
    const slices = [slice("other", "192.0.2.1"), slice("hook", "192.0.2.2", false), slice("hook", "192.0.2.3")]
    assert.deepStrictEqual(connectTo(registryOf(service(clusterIP), slices)), { host: "192.0.2.3", port: 9443 })
  })
  it("is reached at the service's address, if no endpoint is ready", () => {
    const slices = [slice("hook", "192.0.2.2", false)]
    assert.deepStrictEqual(connectTo(registryOf(service(clusterIP), slices)), { host: "10.96.0.7", port: 443 })
  })
  it("is reached at another name", () => {
    const external = service({ type: "ExternalName", externalName: "hook.example.com" })
    assert.deepStrictEqual(connectTo(registryOf(external)), { host: "hook.example.com", port: 443 })
  })
  it("is not reached without a service, an address, or the port", () => {
    assert.strictEqual(connectTo(registryOf(undefined)), 'service "hook" not found')
    assert.strictEqual(
      connectTo(registryOf(service({ clusterIP: "None" }))),
      'cannot route to service with ClusterIP "None"'
    )
    const otherPort = service({ ...clusterIP, ports: [{ port: 80 }] })
    assert.strictEqual(connectTo(registryOf(otherPort)), 'no service port 443 found for service "hook"')
  })
})
