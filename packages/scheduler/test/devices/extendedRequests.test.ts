import type { DeviceClass, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { extendedRequests } from "../../src/devices/extendedRequests.ts"
import { classesByResource } from "../../src/devices/ResourceClasses.ts"
import { deviceClass } from "./samples.ts"

type Container = Pod["spec"]["containers"][number]

const container = (name: string, requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name,
  image: "i",
  resources: { requests },
  ...more
})
const podOf = (containers: ReadonlyArray<Container>, initContainers: ReadonlyArray<Container> = []): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default" },
  spec: { containers, initContainers }
})
const GPU = "example.com/gpu"
const requestsOf = (pod: Pod, ...names: ReadonlyArray<string>) => {
  const resources = (names.length === 0 ? [GPU] : names).map((name) => ({ name, deviceClass: `class-of-${name}` }))
  const { mappings, requests } = extendedRequests(pod, resources)
  return {
    requests: requests.map(({ exactly, name }) => `${name}: ${exactly?.count} of ${exactly?.deviceClassName}`),
    mappings: mappings.map((each) => `${each.containerName} ${each.resourceName} ${each.requestName}`)
  }
}

describe("the requests for extended resources", () => {
  it("are one for each container and resource, named for the container and the place among its requests", () => {
    const pod = podOf([
      container("a", { cpu: "1", [GPU]: "2", "example.com/nic": "1" }),
      container("b", { cpu: "1" }),
      container("c", { [GPU]: "1" })
    ])
    assert.deepStrictEqual(requestsOf(pod, GPU, "example.com/nic"), {
      requests: [
        "container-0-request-1: 2 of class-of-example.com/gpu",
        "container-0-request-2: 1 of class-of-example.com/nic",
        "container-2-request-0: 1 of class-of-example.com/gpu"
      ],
      mappings: [
        "a example.com/gpu container-0-request-1",
        "c example.com/gpu container-2-request-0",
        "a example.com/nic container-0-request-2"
      ]
    })
  })

  it("let init containers use the devices of later containers, and share what the largest needs besides", () => {
    const init = [
      container("small", { [GPU]: "2" }),
      container("large", { [GPU]: "5" }),
      container("middle", { [GPU]: "4" })
    ]
    assert.deepStrictEqual(requestsOf(podOf([container("a", { [GPU]: "1" }), container("b", { [GPU]: "2" })], init)), {
      requests: [
        "container-1-request-0: 2 of class-of-example.com/gpu",
        "container-3-request-0: 1 of class-of-example.com/gpu",
        "container-4-request-0: 2 of class-of-example.com/gpu"
      ],
      mappings: [
        "a example.com/gpu container-3-request-0",
        "b example.com/gpu container-4-request-0",
        "small example.com/gpu container-3-request-0",
        "small example.com/gpu container-4-request-0",
        "large example.com/gpu container-3-request-0",
        "large example.com/gpu container-4-request-0",
        "large example.com/gpu container-1-request-0",
        "middle example.com/gpu container-3-request-0",
        "middle example.com/gpu container-4-request-0",
        "middle example.com/gpu container-1-request-0"
      ]
    })
  })

  it("give a sidecar devices of its own, which only earlier init containers use", () => {
    const init = [
      container("first", { [GPU]: "1" }),
      container("sidecar", { [GPU]: "1" }, { restartPolicy: "Always" }),
      container("last", { [GPU]: "1" })
    ]
    assert.deepStrictEqual(requestsOf(podOf([container("a", {})], init)), {
      requests: [
        "container-1-request-0: 1 of class-of-example.com/gpu",
        "container-2-request-0: 1 of class-of-example.com/gpu"
      ],
      mappings: [
        "sidecar example.com/gpu container-1-request-0",
        "first example.com/gpu container-1-request-0",
        "last example.com/gpu container-2-request-0"
      ]
    })
  })
})

describe("the class of a resource", () => {
  const named = (name: string, creationTimestamp: string, extendedResourceName?: string): DeviceClass => {
    const made = deviceClass(name, undefined, extendedResourceName === undefined ? {} : { extendedResourceName })
    return { ...made, metadata: { name, creationTimestamp } }
  }
  const classOf = (resource: string, ...classes: ReadonlyArray<DeviceClass>) =>
    classesByResource(classes).get(resource)?.metadata.name

  it("is the newest with the name, or the one that the resource names", () => {
    const [old, now] = [named("a", "2026-01-01T00:00:00Z", GPU), named("b", "2026-01-02T00:00:00Z", GPU)]
    assert.strictEqual(classOf(GPU, old, now), "b")
    assert.strictEqual(classOf(GPU, now, old), "b")
    assert.strictEqual(classOf(GPU, old, named("c", "2026-01-01T00:00:00Z", GPU)), "a")
    assert.strictEqual(classOf("deviceclass.resource.kubernetes.io/a", old, now), "a")
    assert.isUndefined(classOf(GPU, named("d", "2026-01-01T00:00:00Z")))
  })
})
