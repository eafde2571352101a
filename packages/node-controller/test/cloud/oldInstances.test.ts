import { it } from "@effect/vitest"
import type { Node } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { CloudError } from "../../src/index.ts"
import { fromOldInstances, type OldInstances } from "../../src/rules.ts"

const failing = (reason: CloudError["reason"], message = "boom") => Effect.fail(new CloudError({ reason, message }))

/** Each answer names what it was asked for. */
const provider = (changes: Partial<OldInstances> = {}) =>
  fromOldInstances("p", {
    instanceID: (name) => Effect.succeed(`i-${name}`),
    existsByProviderID: (id) => Effect.succeed(id === "p://i-n"),
    shutdownByProviderID: (id) => Effect.succeed(id === "p://i-n"),
    addressesByProviderID: (id) => Effect.succeed([{ type: "InternalIP", address: id }]),
    addresses: (name) => Effect.succeed([{ type: "InternalIP", address: name }]),
    typeByProviderID: (id) => Effect.succeed(`type of ${id}`),
    type: (name) => Effect.succeed(`type of ${name}`),
    ...changes
  }).instances

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
const nodeWithProviderID: Node = { ...node, spec: { providerID: "p://own" } }

const messageOf = <A>(asked: Effect.Effect<A, CloudError>) => Effect.map(Effect.flip(asked), ({ message }) => message)

describe("a provider without InstancesV2", () => {
  it.effect("is queried by the node's provider ID, or by the one that it has for the node's name", () =>
    Effect.gen(function* () {
      assert.strictEqual(fromOldInstances("p", {} as OldInstances).name, "p")
      assert.isTrue(yield* provider().instanceExists(node))
      assert.isFalse(yield* provider().instanceExists(nodeWithProviderID))
      assert.isTrue(yield* provider().instanceShutdown(node))
      assert.isFalse(yield* provider().instanceShutdown(nodeWithProviderID))
    })
  )

  it.effect("has no machine where it finds no ID for the name, neither running nor shut down", () =>
    Effect.gen(function* () {
      const without = provider({ instanceID: () => failing("InstanceNotFound") })
      assert.isFalse(yield* without.instanceExists(node))
      assert.isFalse(yield* without.instanceShutdown(node))
      const broken = provider({ instanceID: () => failing("Unknown") })
      const message = "failed to get instance ID from cloud provider: boom"
      assert.strictEqual(yield* messageOf(broken.instanceExists(node)), message)
      assert.strictEqual(yield* messageOf(broken.instanceShutdown(node)), message)
    })
  )

  it.effect("has no machine shut down where it cannot say; any other failure stays one", () =>
    Effect.gen(function* () {
      const silent = provider({ shutdownByProviderID: () => failing("NotImplemented") })
      assert.isFalse(yield* silent.instanceShutdown(node))
      for (const reason of ["Unknown", "InstanceNotFound"] as const) {
        const failed = provider({
          shutdownByProviderID: () => failing(reason),
          existsByProviderID: () => failing(reason)
        })
        assert.strictEqual(yield* messageOf(failed.instanceShutdown(node)), "boom")
        assert.strictEqual(yield* messageOf(failed.instanceExists(node)), "boom")
      }
    })
  )

  it.effect("reports a machine by its ID", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* provider().instanceMetadata(node), {
        providerID: "p://i-n",
        instanceType: "type of p://i-n",
        nodeAddresses: [{ type: "InternalIP", address: "p://i-n" }],
        zone: "",
        region: "",
        additionalLabels: {}
      })
      const zoned = provider({
        zone: (id, name) => Effect.succeed({ zone: `zone of ${id}`, region: `region of ${name}` })
      })
      assert.deepInclude(yield* zoned.instanceMetadata(nodeWithProviderID), {
        providerID: "p://own",
        zone: "zone of p://own",
        region: "region of n"
      })
    })
  )

  it.effect("is queried by name if it has no IDs at all, and its nodes then get none", () =>
    Effect.gen(function* () {
      const byName = provider({
        instanceID: () => failing("NotImplemented"),
        addressesByProviderID: () => failing("Unknown"),
        typeByProviderID: () => failing("Unknown"),
        zone: (id, name) => Effect.succeed({ zone: `zone of "${id}"`, region: `region of ${name}` })
      })
      assert.deepStrictEqual(yield* byName.instanceMetadata(node), {
        providerID: undefined,
        instanceType: "type of n",
        nodeAddresses: [{ type: "InternalIP", address: "n" }],
        zone: 'zone of ""',
        region: "region of n",
        additionalLabels: {}
      })
    })
  )

  it.effect("reports both errors when it cannot find a machine", () =>
    Effect.gen(function* () {
      const told = (changes: Partial<OldInstances>) => messageOf(provider(changes).instanceMetadata(node))
      assert.strictEqual(
        yield* told({ addressesByProviderID: () => failing("Unknown", "a"), addresses: () => failing("Unknown", "b") }),
        "error fetching node by provider ID: a, and error by node name: b"
      )
      assert.strictEqual(
        yield* told({ typeByProviderID: () => failing("Unknown", "a"), type: () => failing("Unknown", "b") }),
        "InstanceType: Error fetching by providerID: a Error fetching by NodeName: b"
      )
      assert.strictEqual(
        yield* told({ zone: () => failing("Unknown") }),
        "failed to get zone from cloud provider: boom"
      )
      assert.strictEqual(yield* told({ instanceID: () => failing("InstanceNotFound") }), "boom")
    })
  )
})
