import { gaugeKubelets, type Kubelet, makeKubeletMeter } from "@rollcall/kubelet"
import type { ResourceMetrics } from "@rollcall/topology"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The metrics of the kubelets of this process: counters are updated by events, gauges when they are read. */
export const kubeletMetrics = Effect.map(Effect.context<never>(), (context) => {
  let kubelets: (() => Iterable<Kubelet>) | undefined
  let resources: ResourceMetrics | undefined
  return {
    meter: makeKubeletMeter(context),
    /** Sets the source of the kubelets. */
    follow: (running: () => Iterable<Kubelet>) => {
      kubelets = running
    },
    /** Returns the kubelets; undefined if their source is not set yet. */
    kubelets: () => kubelets?.(),
    followResources: (metrics: ResourceMetrics) => {
      resources = metrics
    },
    collect: (): ReadonlyArray<Context.Context<never>> => {
      gaugeKubelets(kubelets?.() ?? [], context)
      return resources === undefined ? [] : [resources.context]
    }
  }
})
