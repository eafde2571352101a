import { assert, describe, it } from "@effect/vitest"
import type { Node } from "@rollcall/api"
import { layerWallClock, type Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { CloudError, CloudProviderShape } from "../cloud/CloudProvider.ts"

/** A cloud, and operations on its machines for the tests. */
export interface CloudRig {
  readonly provider: CloudProviderShape
  /** The Node of an existing machine that is on. The Node has no provider ID yet. */
  readonly known: Node
  /** The Node of a machine that never existed. */
  readonly unknown: Node
  /** Switches the known machine off; absent: the cloud's machines cannot be switched off. */
  readonly switchOff?: Effect.Effect<void>
  /** Removes the known machine; absent: the cloud's machines cannot be removed. */
  readonly remove?: Effect.Effect<void>
}

const withID = (node: Node, providerID: string): Node => ({ ...node, spec: { ...node.spec, providerID } })

/** The answer, or undefined for an error, which is acceptable if it has a message. */
const answered = <A>(asked: Effect.Effect<A, CloudError>): Effect.Effect<A | undefined> =>
  Effect.map(Effect.result(asked), (result) => {
    if (Result.isSuccess(result)) return result.success
    assert.strictEqual(result.failure._tag, "CloudError")
    assert.notStrictEqual(result.failure.message, "")
    return undefined
  })

/** The machine neither exists nor is shut down, and has no metadata: an error is acceptable, a guess is not. */
const isNoMachine = ({ instances }: CloudProviderShape, node: Node) =>
  Effect.gen(function* () {
    assert.isNotTrue(yield* answered(instances.instanceExists(node)), "it does not exist")
    assert.isNotTrue(yield* answered(instances.instanceShutdown(node)), "it is not switched off")
    assert.isUndefined(yield* answered(instances.instanceMetadata(node)), "it has no metadata")
  })

const addressTypes = ["InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS"]

/**
 * Registers the tests that every implementation of the CloudProvider port must pass, in a vitest file. Each test makes
 * its own rig; tests run on the wall clock.
 */
export const cloudProviderContract = <E>(name: string, rig: Effect.Effect<CloudRig, E, Timers | Scope.Scope>): void => {
  const withCloud = (title: string, body: (rig: CloudRig) => Effect.Effect<void, CloudError>) =>
    it.live(title, () => Effect.flatMap(rig, body).pipe(Effect.scoped, Effect.provide(layerWallClock())))

  describe(`${name}: an existing machine`, () => {
    withCloud("exists, and is on", ({ known, provider }) =>
      Effect.gen(function* () {
        assert.isTrue(yield* provider.instances.instanceExists(known))
        assert.isFalse(yield* provider.instances.instanceShutdown(known))
      })
    )

    withCloud("has metadata in a Node's terms, the same each time", ({ known, provider }) =>
      Effect.gen(function* () {
        assert.match(provider.name, /^[^:/]+$/)
        const told = yield* provider.instances.instanceMetadata(known)
        assert.deepStrictEqual(yield* provider.instances.instanceMetadata(known), told)
        if (told === undefined) return
        const { additionalLabels, instanceType, nodeAddresses, providerID, region, zone } = told
        if (providerID !== undefined) assert.isTrue(providerID.startsWith(`${provider.name}://`), providerID)
        for (const text of [instanceType, region, zone, ...Object.values(additionalLabels)]) assert.isString(text)
        for (const { address, type } of nodeAddresses) {
          assert.include(addressTypes, type)
          assert.notStrictEqual(address, "")
        }
      })
    )

    withCloud("is found by its provider ID, whatever the name of its Node", ({ known, provider, unknown }) =>
      Effect.gen(function* () {
        const { instances } = provider
        const told = yield* instances.instanceMetadata(known)
        if (told?.providerID === undefined) return
        const stored = withID(known, told.providerID)
        assert.isTrue(yield* instances.instanceExists(stored))
        assert.deepStrictEqual(yield* instances.instanceMetadata(stored), told)
        const another = `${provider.name}://of-another-machine`
        // A provider with the old interface uses the name for a machine's metadata, but not for its existence.
        assert.isNotTrue(yield* answered(instances.instanceExists(withID(known, another))))
        assert.isNotTrue(yield* answered(instances.instanceShutdown(withID(known, another))))
        yield* isNoMachine(provider, withID(unknown, another))
      })
    )

    withCloud("exists when it is switched off", ({ known, provider, switchOff }) =>
      Effect.gen(function* () {
        if (switchOff === undefined) return
        yield* switchOff
        assert.isTrue(yield* provider.instances.instanceExists(known))
        assert.isTrue(yield* provider.instances.instanceShutdown(known))
      })
    )
  })

  describe(`${name}: a missing machine`, () => {
    withCloud("never was", ({ provider, unknown }) => isNoMachine(provider, unknown))

    withCloud("has been removed", ({ known, provider, remove }) =>
      Effect.gen(function* () {
        if (remove === undefined) return
        const told = yield* provider.instances.instanceMetadata(known)
        yield* remove
        yield* isNoMachine(provider, known)
        if (told?.providerID !== undefined) yield* isNoMachine(provider, withID(known, told.providerID))
      })
    )
  })
}
