import { judgingAlone, type KubeletConfig, type PodAdmitHandler } from "@rollcall/kubelet"
import {
  type ModelledLogind,
  makeMemoryState,
  makeModelledLogind,
  makeShutdownManager,
  PodKiller,
  type PowerOff,
  type ShutdownEvent,
  ShutdownInhibitor,
  ShutdownState,
  startLogged
} from "@rollcall/shutdown"
import { delayRequested, shutdownBuckets } from "@rollcall/shutdown/rules"
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
  /** The machine is off. `cutOff` says that its kubelet had not finished. */
  | { readonly type: "poweredOff"; readonly cutOff: boolean }

/** The shutdown of a machine, and its kubelet's part in it. */
export interface MachineShutdown {
  /**
   * Starts a shutdown, as `systemctl poweroff`. If the kubelet is not running, or graceful shutdown is not configured,
   * the machine does not wait.
   */
  readonly begin: () => void
  /** Cancels the shutdown. Has no effect once no lock delays the power-off any more. */
  readonly cancel: () => void
  /** The last admit handler of the kubelet. */
  readonly admit: PodAdmitHandler
  /** Why the node is not Ready during a shutdown; absent if it stays Ready. */
  readonly shutdownStatus?: () => string | undefined
  /** Handles the end of the kubelet's process, which releases its lock. */
  readonly kubeletEnded: () => void
  /** Handles the start of the machine and its kubelet; absent if there is nothing to do before a shutdown. */
  readonly kubeletStarted?: () => void
}

/** The dependencies of a machine's shutdown. */
export interface MachineShutdownOptions {
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly machine: () => ShutdownMachine
  /** Runs an effect on the clock of `timers`. */
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly observe: (event: MachineShutdownEvent) => void
}

/**
 * The time from the release of the last lock until the power-off, in which services stop and filesystems are unmounted.
 */
const POWER_OFF_MS = 1_000

/**
 * Makes the graceful shutdown of a modelled machine. The shutdown manager is started only at the machine's first
 * shutdown: it has no visible effect before, and a fleet of thousands pays nothing for it.
 */
export const makeMachineShutdown = (options: MachineShutdownOptions): MachineShutdown => {
  const { config, fork, machine, observe, timers } = options
  const delaySeconds = delayRequested(shutdownBuckets(config))
  const state = makeMemoryState()
  let managerScope: Scope.Closeable | undefined
  let isPoweringOff = false
  const powerOff = (cause: PowerOff) => {
    isPoweringOff = true
    timers.after(cause === "limit" ? 0 : POWER_OFF_MS, () => {
      isPoweringOff = false
      if (!machine().powered) return
      machine().crash()
      observe({ type: "poweredOff", cutOff: cause === "limit" })
    })
  }
  let madeLogind: ModelledLogind | undefined
  const logind = (): ModelledLogind => {
    madeLogind ??= makeModelledLogind({ timers, powerOff })
    return madeLogind
  }
  const manager = makeShutdownManager(config, {
    observe: (event) => {
      if (event.type === "started") observe({ type: "started", delaySeconds })
      else if (event.type === "cancelled" || event.type === "phaseStarted") observe(event)
    }
  })

  const startManager = Effect.gen(function* () {
    const scope = yield* Scope.make()
    managerScope = scope
    yield* startLogged(manager).pipe(
      Scope.provide(scope),
      Effect.provideService(ShutdownInhibitor, logind().inhibitor),
      Effect.provideService(
        PodKiller,
        makePodKiller(() => machine().kubelet)
      ),
      Effect.provideService(ShutdownState, state)
    )
  })

  return {
    begin: () => {
      if (!machine().powered || isPoweringOff) return
      if (!manager.active || !machine().kubelet.running) {
        observe({ type: "started", delaySeconds: 0 })
        logind().emit(true)
        return
      }
      fork(
        Effect.andThen(
          managerScope === undefined ? startManager : Effect.void,
          Effect.sync(() => logind().emit(true))
        )
      )
    },
    cancel: () => {
      if (machine().powered && !isPoweringOff) logind().emit(false)
    },
    admit: judgingAlone(() => manager.admit()),
    shutdownStatus: manager.shutdownStatus,
    kubeletEnded: () => {
      if (managerScope === undefined) return
      const scope = managerScope
      managerScope = undefined
      fork(Scope.close(scope, Exit.void))
    }
  }
}
