import type { Connection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StartGateShape } from "./GatedRuntime.ts"
import { MachineDirectory } from "./MachineDirectory.ts"
import { ModelledStorage } from "./ModelledStorage.ts"

/** The service of the gate that pods pass before they start. In a world without it they start at once. */
export class StartGate extends Context.Service<StartGate, StartGateShape>()("@rollcall/machines/StartGate") {
  /** A gate at which pods wait until their volumes are attached to their node. `connection` is an administrator's. */
  static readonly layerVolumes = (connection: Connection): Layer.Layer<StartGate, never, Timers | MachineDirectory> =>
    Layer.effect(
      StartGate,
      Effect.gen(function* () {
        const timers = yield* Timers
        const { get } = yield* MachineDirectory
        return new ModelledStorage({ connection, timers, machineOf: get })
      })
    )
}
