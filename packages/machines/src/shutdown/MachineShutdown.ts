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

/** The events of a machine's shutdown. */
export type MachineShutdownEvent =
  | { readonly type: "started"; readonly delaySeconds: number }
  | Extract<ShutdownEvent, { readonly type: "phaseStarted" }>
  | { readonly type: "cancelled" }
  /** The machine is off; `cutOff`: before its kubelet had finished. */
  | { readonly type: "poweredOff"; readonly cutOff: boolean }

/** The shutdown of a machine, and its kubelet's part in it. */
export interface MachineShutdown {
  /**
   * Starts a shutdown, as `systemctl poweroff`. If the kubelet is not running, or graceful shutdown is not configured,
   * the machine does not wait.
   */
  readonly begin: () => void
  /** Cancels the shutdown; without effect once the machine is no longer held back. */
  readonly cancel: () => void
  /** The last admit handler of the kubelet. */
  readonly admit: PodAdmitHandler
  /** Why the node is not Ready during a shutdown; absent: it stays Ready. */
  readonly shutdownStatus?: () => string | undefined
  /** The kubelet's process has ended, which releases its lock. */
  readonly kubeletEnded: () => void
  /** The machine and its kubelet have started; absent: nothing to do before a shutdown. */
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

/** From the release of the last lock until power-off: services stop, filesystems are unmounted. */
const POWER_OFF_MS = 1_000

/**
 * Graceful shutdown of a modelled machine. The manager is made and started at the machine's first shutdown: it has no
 * visible effect before, and a fleet of thousands pays nothing for it.
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
