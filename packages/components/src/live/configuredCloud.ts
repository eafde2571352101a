import { type ConfigMap, systemNamespace } from "@rollcall/api"
import { Informer } from "@rollcall/cluster"
import type { PlaneCloud } from "@rollcall/control-plane"
import { type CloudMachine, makeFleetCloud, type PlannedCloud } from "@rollcall/machines"
import { CloudProvider } from "@rollcall/node-controller"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The ConfigMap with the state of machines by node name: `off` or `gone`. */
const STATES = "rollcall-cloud"

/** A modelled cloud with one machine for each Node of the cluster; a ConfigMap overrides their states. */
const modelledCloud = Effect.fnUntraced(function* (plan: PlannedCloud) {
  const timers = yield* Timers
  const nodes = yield* Informer.make("Node")
  let states: NonNullable<ConfigMap["data"]> = {}
  const seen = ({ data = {}, metadata }: ConfigMap) => {
    if (metadata.name === STATES) states = data
  }
  const maps = yield* Informer.make("ConfigMap", {
    namespace: systemNamespace,
    handlers: [
      {
        onAdd: seen,
        onUpdate: (_, map) => seen(map),
        onDelete: ({ metadata }) => seen({ apiVersion: "v1", kind: "ConfigMap", metadata })
      }
    ]
  })
  yield* Effect.all([nodes.synced, maps.synced])
  const machineOf = (name: string): CloudMachine | undefined =>
    states[name] === "gone"
      ? undefined
      : {
          name,
          group: undefined,
          powered: states[name] !== "off",
          kubelet: { config: { nodeLabels: {}, providerID: "" } }
        }
  const make = () =>
    makeFleetCloud({
      plan,
      seed: 1,
      timers,
      machines: () => nodes.list().flatMap(({ metadata }) => machineOf(metadata.name ?? "") ?? []),
      machineOf,
      nodeOf: (name) => nodes.find(name)
    })
  return yield* Effect.acquireRelease(Effect.sync(make), ({ stop }) => Effect.sync(stop))
})

/** The cloud of an external cluster: the provided CloudProvider, else a modelled one. */
export const configuredCloud = Effect.fnUntraced(function* (plan: PlannedCloud) {
  const own = yield* Effect.serviceOption(CloudProvider)
  const cloud: PlaneCloud = Option.isSome(own)
    ? { provider: own.value, controllers: plan.controllers }
    : yield* modelledCloud(plan)
  return cloud
})
