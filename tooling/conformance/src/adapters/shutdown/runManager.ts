import { defaultRelease, featureGatesOf } from "@rollcall/api"
import {
  type ModelledLogind,
  makeMemoryState,
  makeModelledLogind,
  makeShutdownManager,
  PodKiller,
  type ShutdownConfig,
  type ShutdownEvent,
  ShutdownInhibitor,
  type ShutdownManagerShape,
  ShutdownState
} from "@rollcall/shutdown"
import { makeVirtualTime, type VirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type { Json } from "../../Adapter.ts"
import { type ScriptedNode, scriptedNode } from "./scriptedNode.ts"

/** Returns the configuration of a vector, whose durations are in seconds. A field that the vector lacks has its default. */
export const configOf = (given: Json, gates: Json = {}): ShutdownConfig => ({
  shutdownGracePeriodMs: (given.shutdownGracePeriod ?? 0) * 1000,
  shutdownGracePeriodCriticalPodsMs: (given.shutdownGracePeriodCriticalPods ?? 0) * 1000,
  shutdownGracePeriodByPodPriority: given.shutdownGracePeriodByPodPriority ?? [],
  featureGates: {
    ...featureGatesOf(defaultRelease),
    ...(given.basedOnPodPriorityGate === undefined
      ? {}
      : { GracefulNodeShutdownBasedOnPodPriority: given.basedOnPodPriorityGate }),
    ...gates
  }
})

/** A started shutdown manager, and what it acts on. */
export interface RunningManager {
  readonly time: VirtualTime
  readonly logind: ModelledLogind
  readonly node: ScriptedNode
  readonly manager: ShutdownManagerShape
  /** The events of the manager, with their time in seconds. */
  readonly trace: ReadonlyArray<ShutdownEvent & { readonly at: number }>
  /** Returns the error of the start, or undefined if the manager has started. */
  readonly startError: () => string | undefined
}

export interface RunOptions {
  /** InhibitDelayMaxUSec in seconds. The default never limits a shutdown. */
  readonly inhibitDelaySeconds?: number
  /** The delays in seconds that logind reports after the override, one for each read. The last one repeats. */
  readonly afterReload?: ReadonlyArray<number>
}

/** Starts the real manager over a modelled logind and a scripted node, in virtual time from 0. */
export const runManager = (
  config: ShutdownConfig,
  pods: ReadonlyArray<Json>,
  { afterReload, inhibitDelaySeconds = 1e6 }: RunOptions = {}
): RunningManager => {
  const time = makeVirtualTime(0)
  const logind = makeModelledLogind({
    timers: time.timers,
    inhibitDelayMs: inhibitDelaySeconds * 1000,
    ...(afterReload === undefined
      ? {}
      : { afterOverride: (_, look) => (afterReload[look - 1] ?? afterReload.at(-1) ?? 0) * 1000 })
  })
  const node = scriptedNode(time.timers, pods)
  const trace: Array<ShutdownEvent & { readonly at: number }> = []
  const manager = makeShutdownManager(config, {
    observe: (event) => trace.push({ ...event, at: time.timers.now() / 1000 })
  })
  let startError: string | undefined
  const services = Context.make(ShutdownInhibitor, logind.inhibitor).pipe(
    Context.add(PodKiller, node.killer),
    Context.add(ShutdownState, makeMemoryState())
  )
  time.fork(
    manager.start.pipe(
      Effect.catchTag("InhibitorError", ({ message }) =>
        Effect.sync(() => {
          startError = message
        })
      ),
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.provideContext(services),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
  return { time, logind, node, manager, trace, startError: () => startError }
}
