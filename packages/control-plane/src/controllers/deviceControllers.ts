import { currentGates, type ResourceClaim } from "@rollcall/api"
import { layerDeviceTaintEviction } from "@rollcall/node-controller"
import type { Timers } from "@rollcall/time"
import { layerResourceClaims, waitForObject } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "../ClientMaker.ts"

const isAllocated = (claim: ResourceClaim): boolean => claim.status?.allocation !== undefined

/** Starts with the first allocated claim: before that no pod has a device. */
const taintEviction = Layer.unwrap(
  Effect.map(currentGates, ({ DRADeviceTaints }) =>
    DRADeviceTaints ? waitForObject("ResourceClaim", layerDeviceTaintEviction, isAllocated) : Layer.empty
  )
)

const controllers = [
  { name: "resourceclaim-controller", client: "resource-claim-controller", layer: layerResourceClaims },
  { name: "device-taint-eviction-controller", client: "device-taint-eviction-controller", layer: taintEviction }
]

/** The controllers of devices and the claims for them, each with its own client. */
export const deviceControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  isEnabled: (controller: string) => boolean
): Layer.Layer<never, never, Timers> =>
  controllers
    .filter(({ name }) => isEnabled(name))
    .map(({ client, layer }) => layer.pipe(Layer.provide(clients.layer(client, limit))))
    .reduce<Layer.Layer<never, never, Timers>>((all, layer) => Layer.merge(all, layer), Layer.empty)
