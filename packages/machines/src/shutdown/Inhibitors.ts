import type { KubeletConfig } from "@rollcall/kubelet"
import { containedRunner, Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type MachineShutdown, type MachineShutdownEvent, makeMachineShutdown } from "./MachineShutdown.ts"
import type { ShutdownMachine } from "./ShutdownMachine.ts"

/** What the shutdown of a machine depends on. */
export interface InhibitedMachine {
  readonly name: string
  readonly config: KubeletConfig
  /** Returns the machine, once it has been made. */
  readonly machine: () => ShutdownMachine
  /** Called for each event of a shutdown. */
  readonly observe: (event: MachineShutdownEvent) => void
}

export interface InhibitorsShape {
  /** Called once for each machine, when it is made. */
  readonly of: (machine: InhibitedMachine) => MachineShutdown
}

/** Runs an effect in the background, on the clock of the timers. */
type Fork = (effect: Effect.Effect<void>) => void

/**
 * The port to the inhibitors of machine shutdowns: one service for all machines of a process. Implementations are
 * tested by `inhibitorsContract` of `@rollcall/machines/testing`.
 */
export class Inhibitors extends Context.Service<Inhibitors, InhibitorsShape>()("@rollcall/machines/Inhibitors") {
  /** A modelled logind for each machine. */
  static readonly modelled = (timers: TimersShape, fork: Fork): InhibitorsShape => ({
    of: (machine) => makeMachineShutdown({ ...machine, timers, fork })
  })

  static readonly layerModelled: Layer.Layer<Inhibitors, never, Timers> = Layer.effect(
    Inhibitors,
    Effect.gen(function* () {
      const timers = yield* Timers
      return Inhibitors.modelled(timers, yield* containedRunner(timers, "machine"))
    })
  )
}
