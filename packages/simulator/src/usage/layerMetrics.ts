import type { Pod } from "@rollcall/api"
import { annotationBehaviour, modelledUsage } from "@rollcall/kubelet"
import { MachineDirectory } from "@rollcall/machines"
import { byDefault } from "@rollcall/time"
import { MetricsSource } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** How long a metrics server measures before it answers. */
const WINDOW_MS = 15_000

/** Returns what the containers of a pod use of a resource, in thousandths; undefined if its behaviour does not say. */
const usedOf = (pod: Pod, resource: string, container: string | undefined): number | undefined => {
  if (pod.metadata.annotations?.[annotationBehaviour] === undefined) return undefined
  const containers = modelledUsage(pod).filter(({ name }) => container === undefined || name === container)
  if (containers.length === 0) return undefined
  const amounts = containers.map(({ cpuNanoCores, memoryBytes }) =>
    resource === "cpu" ? cpuNanoCores / 1e6 : memoryBytes * 1000
  )
  return Math.round(amounts.reduce((sum, amount) => sum + amount, 0))
}

/**
 * The metrics of cpu and memory that autoscalers of a rehearsal read: those of pods whose behaviour says what they use, on
 * machines whose kubelet a metrics server reaches. Without any such pod there are none, as in a cluster that serves none.
 */
export const layerMetrics: Layer.Layer<MetricsSource, never, MachineDirectory> = byDefault(
  MetricsSource,
  Layer.effect(
    MetricsSource,
    Effect.gen(function* () {
      const directory = yield* MachineDirectory
      const none = yield* Effect.provide(MetricsSource, MetricsSource.layerNone)
      const isReached = ({ spec }: Pod): boolean => {
        const machine = directory.get(spec.nodeName ?? "")
        return machine?.powered === true && machine.kubelet.running && !machine.link.state.cut
      }
      return MetricsSource.of({
        ask: (request) =>
          Effect.suspend(() => {
            const { containerResource, resource } = request.spec
            const name = resource?.name ?? containerResource?.name
            if (name !== "cpu" && name !== "memory") return none.ask(request)
            const metrics = request.pods.flatMap((pod) => {
              const value = isReached(pod) ? usedOf(pod, name, containerResource?.container) : undefined
              const metric = { value: value ?? 0, timestamp: request.now, windowMs: WINDOW_MS }
              return value === undefined ? [] : [[pod.metadata.name ?? "", metric] as const]
            })
            return metrics.length === 0 ? none.ask(request) : Effect.succeed({ pods: new Map(metrics) })
          })
      })
    })
  )
)
