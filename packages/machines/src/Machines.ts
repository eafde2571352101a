import { DeviceDrivers, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MachineCloud } from "./cloud/MachineCloud.ts"
import { Links } from "./link/Links.ts"
import type { Machine } from "./Machine.ts"
import { MachineDirectory } from "./MachineDirectory.ts"
import type { MachineSpec } from "./MachineSpec.ts"
import { type MachineOptions, makeMachine } from "./makeMachine.ts"
import { ServerGate } from "./ServerGate.ts"
import { StartGate } from "./StartGate.ts"
import { Inhibitors } from "./shutdown/Inhibitors.ts"

/** Makes the machines of a world. */
export interface MachinesShape {
  /** Makes a machine with its kubelet, not started yet, and adds it to the directory. */
  readonly make: (spec: MachineSpec) => Machine
}

/** The settings that all machines of a world share. */
export type MachinesOptions = Pick<
  MachineOptions,
  | "release"
  | "seed"
  | "model"
  | "connect"
  | "credentialPlugins"
  | "heldBy"
  | "meter"
  | "onShutdown"
  | "recorderOf"
  | "logOf"
>

/** The services that `Machines.layer` requires. */
export type MachineParts =
  | Timers
  | PodRuntimes
  | NodeHosts
  | Links
  | Inhibitors
  | ServerGate
  | MachineCloud
  | MachineDirectory

/**
 * Makes the machines of a world from its ports. Each machine is a plain call, because a layer for each would take four
 * times the time and twice the memory. Their pods pass the StartGate, and their devices have DeviceDrivers, if the world has
 * such.
 */
export class Machines extends Context.Service<Machines, MachinesShape>()("@rollcall/machines/Machines") {
  static readonly layer = (options: MachinesOptions): Layer.Layer<Machines, never, MachineParts> =>
    Layer.effect(
      Machines,
      Effect.gen(function* () {
        const directory = yield* MachineDirectory
        const { wrap } = yield* ServerGate
        const { askCloud } = yield* MachineCloud
        const startGate = yield* Effect.serviceOption(StartGate)
        const deviceDrivers = yield* Effect.serviceOption(DeviceDrivers)
        const common: MachineOptions = {
          ...options,
          timers: yield* Timers,
          hosts: yield* NodeHosts,
          inhibitors: yield* Inhibitors,
          links: yield* Links,
          runtimes: yield* PodRuntimes,
          connect: (name) => wrap(options.connect(name)),
          ...(askCloud === undefined ? {} : { askCloud }),
          ...(Option.isNone(startGate) ? {} : { startGate: startGate.value }),
          ...(Option.isNone(deviceDrivers) ? {} : { deviceDrivers: deviceDrivers.value })
        }
        return {
          make: (spec) => {
            const machine = makeMachine(common, spec)
            directory.add(machine)
            return machine
          }
        }
      })
    )
}
