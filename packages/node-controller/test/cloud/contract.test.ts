import type { Node } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { CloudError, makeModelledCloud } from "../../src/index.ts"
import { fromOldInstances } from "../../src/rules.ts"
import { type CloudRig, cloudProviderContract } from "../../src/testing/index.ts"

const node = (name: string): Node => ({ apiVersion: "v1", kind: "Node", metadata: { name } })
const withNodes = (rig: Omit<CloudRig, "known" | "unknown">): CloudRig => ({
  ...rig,
  known: node("a"),
  unknown: node("z")
})

for (const latencyMs of [0, 5]) {
  cloudProviderContract(
    `modelled, answering after ${latencyMs} ms`,
    Effect.sync(() => {
      let offSinceMs: number | undefined
      const cloud = makeModelledCloud({
        name: "modelled",
        instanceOf: (name) =>
          name === "a"
            ? {
                instanceType: "m1",
                zone: "z-1",
                region: "r",
                addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
                labels: { rack: "7" }
              }
            : undefined,
        offSinceMs: () => offSinceMs,
        nowMs: () => 0,
        random: () => 0.5,
        latencyMs
      })
      return withNodes({
        provider: cloud.provider,
        switchOff: Effect.sync(() => {
          offSinceMs = 0
        }),
        remove: Effect.sync(() => cloud.remove("a"))
      })
    })
  )
}

cloudProviderContract(
  "a provider without InstancesV2",
  Effect.sync(() => {
    let [there, off] = [true, false]
    const ifThere =
      <A>(answer: () => A) =>
      (id: string) =>
        there && (id === "a" || id === "old://i-a")
          ? Effect.sync(answer)
          : Effect.fail(new CloudError({ reason: "InstanceNotFound", message: "instance not found" }))
    const isThere = (id: string) => there && id === "old://i-a"
    const addresses = ifThere(() => [{ type: "InternalIP", address: "10.0.0.1" } as const])
    const provider = fromOldInstances("old", {
      instanceID: ifThere(() => "i-a"),
      existsByProviderID: (id) => Effect.sync(() => isThere(id)),
      shutdownByProviderID: (id) => Effect.sync(() => isThere(id) && off),
      addresses,
      addressesByProviderID: addresses,
      type: ifThere(() => "m1"),
      typeByProviderID: ifThere(() => "m1")
    })
    const set = (change: () => void) => Effect.sync(change)
    return withNodes({
      provider,
      switchOff: set(() => {
        off = true
      }),
      remove: set(() => {
        there = false
      })
    })
  })
)
