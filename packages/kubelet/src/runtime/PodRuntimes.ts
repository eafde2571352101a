import { Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeModelledPodRuntime } from "./ModelledPodRuntime.ts"
import type { ModelledImageOptions, ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import type { PodRuntime } from "./PodRuntime.ts"
import type { UsageSink } from "./UsageSink.ts"

/** The machine whose pods a runtime runs. */
export interface RuntimeMachine {
  readonly name: string
  /** Receives the usage of the pods; absent if it is not tracked. */
  readonly host?: UsageSink
  /** See `ModelledPodRuntimeOptions.podCIDR`. */
  readonly podCIDR?: string
  /** See `ModelledPodRuntimeOptions.images`. */
  readonly images?: ModelledImageOptions
  /** See `ModelledPodRuntimeOptions.runtimeHandlers`. */
  readonly runtimeHandlers?: ReadonlyArray<string>
}

export interface PodRuntimesShape {
  /**
   * Called once for each machine, when it is made. The runtime lives as long as its machine, and holds nothing after
   * `powerOff`.
   */
  readonly of: (machine: RuntimeMachine) => PodRuntime
}

/**
 * The port to container runtimes: one service makes the runtimes of all machines of a process. Implementations are
 * tested by `podRuntimeContract` of `@rollcall/kubelet/testing`.
 */
export class PodRuntimes extends Context.Service<PodRuntimes, PodRuntimesShape>()("@rollcall/kubelet/PodRuntimes") {
  /** Modelled runtimes, equal for all machines except for addresses. */
  static readonly modelled = (timers: TimersShape, options: ModelledPodRuntimeOptions = {}): PodRuntimesShape => ({
    of: ({ host, images, podCIDR, runtimeHandlers }) => {
      const own = {
        ...(podCIDR === undefined ? {} : { podCIDR }),
        ...(images === undefined ? {} : { images }),
        ...(runtimeHandlers === undefined ? {} : { runtimeHandlers })
      }
      return makeModelledPodRuntime(timers, { ...options, ...own }, host)
    }
  })

  static readonly layerModelled = (options: ModelledPodRuntimeOptions = {}): Layer.Layer<PodRuntimes, never, Timers> =>
    Layer.effect(
      PodRuntimes,
      Effect.map(Timers, (timers) => PodRuntimes.modelled(timers, options))
    )
}
