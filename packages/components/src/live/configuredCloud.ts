import { type ConfigMap, systemNamespace } from "@rollcall/api"
import { Informer } from "@rollcall/cluster"
import type { PlaneCloud } from "@rollcall/control-plane"
import { type CloudMachine, makeFleetCloud, type PlannedCloud } from "@rollcall/machines"
import { CloudProvider } from "@rollcall/node-controller"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The ConfigMap with the state of machines by node name: `off` or `gone`. */
const STATES_CONFIG_MAP = "rollcall-cloud"

/** A modelled cloud with one machine for each Node of the cluster; a ConfigMap overrides their states. */
const modelledCloud = Effect.fnUntraced(function* (plan: PlannedCloud) {
  const timers = yield* Timers
  const nodes = yield* Informer.make("Node")
  let states: NonNullable<ConfigMap["data"]> = {}
  const configMapChanged = ({ data = {}, metadata }: ConfigMap) => {
    if (metadata.name === STATES_CONFIG_MAP) states = data
  }
  const maps = yield* Informer.make("ConfigMap", {
    namespace: systemNamespace,
    handlers: [
      {
        onAdd: configMapChanged,
        onUpdate: (_, map) => configMapChanged(map),
        onDelete: ({ metadata }) => configMapChanged({ apiVersion: "v1", kind: "ConfigMap", metadata })
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
  const provided = yield* Effect.serviceOption(CloudProvider)
  const cloud: PlaneCloud = Option.isSome(provided)
    ? { provider: provided.value, controllers: plan.controllers }
    : yield* modelledCloud(plan)
  return cloud
})
