import type { KubeletConfig, PodAdmitHandler } from "@rollcall/kubelet"
import {
  delayRequested,
  makeMemoryState,
  makeModelledLogind,
  makeShutdownManager,
  PodKiller,
  type ShutdownEvent,
  ShutdownInhibitor,
  ShutdownState,
  shutdownBuckets,
  startLogged
} from "@rollcall/shutdown"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makePodKiller } from "./podKiller.ts"
import type { ShutdownMachine } from "./ShutdownMachine.ts"

/** What is seen of a machine's way down. */
export type MachineShutdownEvent =
  | { readonly type: "started"; readonly delaySeconds: number }
  | Extract<ShutdownEvent, { readonly type: "phaseStarted" }>
  | { readonly type: "cancelled" }
  /** The machine is off; `cutOff`: before its kubelet was done. */
  | { readonly type: "poweredOff"; readonly cutOff: boolean }

/** A machine that is told to go down, and what its kubelet does about that. */
export interface MachineShutdown {
  /** As `systemctl poweroff`. A machine whose kubelet is not there, or has nothing configured, waits for nobody. */
  readonly begin: () => void
  /** Calls it off; too late once nobody holds the machine back any more. */
  readonly cancel: () => void
  /** The last handler of the kubelet's admission chain. */
  readonly admit: PodAdmitHandler
  /** Why the node is not Ready, while it goes down; absent: it is, all the way. */
  readonly shutdownStatus?: () => string | undefined
  /** The kubelet's process has ended, and with it its lock. */
  readonly kubeletEnded: () => void
  /** The machine has begun, and its kubelet with it; absent: nothing is to be done before it is told to go down. */
  readonly kubeletStarted?: () => void
}

export interface MachineShutdownOptions {
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly machine: () => ShutdownMachine
  /** Runs an effect on the clock of `timers`. */
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly observe: (event: MachineShutdownEvent) => void
}

/** From the last lock's release until power is off: services are stopped, filesystems unmounted. */
const POWER_OFF_MS = 1_000

/**
 * Graceful shutdown on a modelled machine. The manager is made and started when the machine is first told to go down: before
 * that there is nothing to be seen of it, and a fleet of thousands pays nothing.
 */
export const makeMachineShutdown = (options: MachineShutdownOptions): MachineShutdown => {
  const { config, fork, machine, observe, timers } = options
  const delaySeconds = delayRequested(shutdownBuckets(config))
  const state = makeMemoryState()
  let running: Scope.Closeable | undefined
  let goingOff = false
  const logind = makeModelledLogind({
    timers,
    powerOff: (why) => {
      goingOff = true
      timers.after(why === "limit" ? 0 : POWER_OFF_MS, () => {
        goingOff = false
        if (!machine().powered) return
        machine().crash()
        observe({ type: "poweredOff", cutOff: why === "limit" })
      })
    }
  })
  const manager = makeShutdownManager(config, {
    observe: (event) => {
      if (event.type === "started") observe({ type: "started", delaySeconds })
      else if (event.type === "cancelled" || event.type === "phaseStarted") observe(event)
    }
  })

  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    running = scope
    yield* startLogged(manager).pipe(
      Scope.provide(scope),
      Effect.provideService(ShutdownInhibitor, logind.inhibitor),
      Effect.provideService(
        PodKiller,
        makePodKiller(() => machine().kubelet)
      ),
      Effect.provideService(ShutdownState, state)
    )
  })

  return {
    begin: () => {
      if (!machine().powered || goingOff) return
      if (!manager.active || !machine().kubelet.running) {
        observe({ type: "started", delaySeconds: 0 })
        logind.emit(true)
        return
      }
      fork(
        Effect.andThen(
          running === undefined ? start : Effect.void,
          Effect.sync(() => logind.emit(true))
        )
      )
    },
    cancel: () => {
      if (machine().powered && !goingOff) logind.emit(false)
    },
    admit: () => manager.admit(),
    shutdownStatus: manager.shutdownStatus,
    kubeletEnded: () => {
      if (running === undefined) return
      const scope = running
      running = undefined
      fork(Scope.close(scope, Exit.void))
    }
  }
}
