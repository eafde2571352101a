import type { Pod } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { assert, beforeAll, describe, it } from "vitest"
import { loadDevices } from "../../src/index.ts"
import { nodeNamed, podNamed, withScheduler } from "../withScheduler.ts"
import { deviceClass, gpus, slice } from "./samples.ts"

beforeAll(() => Effect.runPromise(Effect.asVoid(loadDevices)))

const GPU = "example.com/gpu"
const podWith = (name: string, requests: Record<string, string>): Pod => {
  const pod = podNamed(name, "1")
  const [container] = pod.spec.containers
  const resources = { requests: { cpu: "1", ...requests }, limits: requests }
  return { ...pod, spec: { ...pod.spec, containers: [{ name: "c", image: "i", ...container, resources }] } }
}
const claimsOf = (cluster: ClusterShape) => Effect.map(cluster.list("ResourceClaim"), ({ items }) => items)
const messageOf = ({ status }: Pod): string | undefined =>
  status?.conditions?.find(({ type }) => type === "PodScheduled")?.message

const CLASS = deviceClass("gpu", 'device.driver == "gpu.example.com"', { extendedResourceName: GPU })

describe("extended resources of device classes", () => {
  it("are allocated by a claim that the scheduler makes, and that the pod's status names", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* addNode(nodeNamed("b"))
        yield* cluster.create("DeviceClass", CLASS)
        yield* cluster.create("ResourceSlice", slice("b", gpus(2)))
        yield* cluster.create("Pod", podWith("p", { [GPU]: "2" }))
        yield* Effect.sleep("1 second")
        const { metadata, spec, status } = yield* pod("p")
        assert.strictEqual(spec.nodeName, "b")
        const [claim, ...others] = yield* claimsOf(cluster)
        assert.lengthOf(others, 0)
        assert.match(claim?.metadata.name ?? "", /^p-extended-resources-[a-z0-9]{5}$/)
        assert.deepStrictEqual(claim?.metadata.annotations, {
          "resource.kubernetes.io/extended-resource-claim": "true"
        })
        const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: metadata.uid ?? "", controller: true }
        assert.deepStrictEqual(claim?.metadata.ownerReferences, [owner])
        const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 }
        assert.deepStrictEqual(claim?.spec as object, {
          devices: { requests: [{ name: "container-0-request-1", exactly }] }
        })
        assert.deepStrictEqual(
          claim?.status?.allocation?.devices?.results?.map(({ device, request }) => `${request} ${device}`),
          ["container-0-request-1 gpu-0", "container-0-request-1 gpu-1"]
        )
        assert.deepStrictEqual(
          claim?.status?.reservedFor?.map(({ name }) => name),
          ["p"]
        )
        assert.deepStrictEqual(status?.extendedResourceClaimStatus as object, {
          requestMappings: [{ containerName: "c", resourceName: GPU, requestName: "container-0-request-1" }],
          resourceClaimName: claim?.metadata.name
        })
      })
    )
  })

  it("come from the node's device plugin where it has them, without a claim", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        const node = nodeNamed("a")
        const allocatable = { ...node.status?.allocatable, [GPU]: "1" }
        yield* addNode({ ...node, status: { ...node.status, allocatable } })
        yield* cluster.create("DeviceClass", CLASS)
        yield* cluster.create("Pod", podWith("p", { [GPU]: "1" }))
        yield* cluster.create("Pod", podWith("q", { [GPU]: "1" }))
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
        assert.include(messageOf(yield* pod("q")), `1 Insufficient ${GPU}`)
        assert.lengthOf(yield* claimsOf(cluster), 0)
      })
    )
  })

  it("are waited for until a class and devices exist", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("Pod", podWith("p", { "deviceclass.resource.kubernetes.io/gpu": "1" }))
        yield* Effect.sleep("1 second")
        assert.include(messageOf(yield* pod("p")), "Insufficient deviceclass.resource.kubernetes.io/gpu")
        yield* cluster.create("DeviceClass", deviceClass("gpu"))
        yield* Effect.sleep("20 seconds")
        assert.include(messageOf(yield* pod("p")), "cannot allocate all claims")
        yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
        yield* Effect.sleep("20 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
      })
    )
  })

  it("are not looked for if the feature is off", () => {
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("a"))
          yield* cluster.create("DeviceClass", CLASS)
          yield* cluster.create("ResourceSlice", slice("a", gpus(1)))
          yield* cluster.create("Pod", podWith("p", { [GPU]: "1" }))
          yield* Effect.sleep("1 second")
          assert.include(messageOf(yield* pod("p")), `Insufficient ${GPU}`)
          assert.lengthOf(yield* claimsOf(cluster), 0)
        }),
      { extendedResourceClaims: false }
    )
  })
})
