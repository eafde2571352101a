import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Kubelet, KubeletOptions } from "./Kubelet.ts"
import { makeKubelet } from "./makeKubelet.ts"

export interface KubeletFleetShape {
  /** Makes and starts a kubelet. One that has the name already is ended and replaced. */
  readonly add: (options: KubeletOptions) => Effect.Effect<Kubelet>
  readonly get: (name: string) => Kubelet | undefined
  /** Ends a kubelet and forgets it; its Node is not touched. */
  readonly remove: (name: string) => Effect.Effect<void>
  readonly all: () => IterableIterator<Kubelet>
  readonly size: () => number
}

/** Kubelets of one process, one or a hundred thousand, all on the timers of the layer. They end with it. */
export class KubeletFleet extends Context.Service<KubeletFleet, KubeletFleetShape>()("@rollcall/kubelet/KubeletFleet") {
  static readonly layer: Layer.Layer<KubeletFleet, never, Timers> = Layer.effect(
    KubeletFleet,
    Effect.gen(function* () {
      const timers = yield* Timers
      const kubelets = new Map<string, Kubelet>()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const kubelet of kubelets.values()) kubelet.crash()
          kubelets.clear()
        })
      )
      const remove = (name: string) => {
        kubelets.get(name)?.crash()
        kubelets.delete(name)
      }
      return KubeletFleet.of({
        add: (options) =>
          Effect.sync(() => {
            remove(options.name)
            const kubelet = makeKubelet(timers, options)
            kubelets.set(options.name, kubelet)
            kubelet.startKubelet()
            return kubelet
          }),
        get: (name) => kubelets.get(name),
        remove: (name) => Effect.sync(() => remove(name)),
        all: () => kubelets.values(),
        size: () => kubelets.size
      })
    })
  )
}
