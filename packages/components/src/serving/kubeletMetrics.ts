import { gaugeCredentialConfig, gaugeKubelets, type Kubelet, makeKubeletMeter } from "@rollcall/kubelet"
import { expositionOf, type MetricSet, snapshotsOf } from "@rollcall/time"
import type { ResourceMetrics } from "@rollcall/topology"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The metrics of the kubelets of this process: counters are updated by events, gauges when they are read. `own` has those
 * of the process.
 */
export const kubeletMetrics = Effect.fnUntraced(function* (own: MetricSet) {
  const context = yield* Effect.context<never>()
  let kubelets: (() => Iterable<Kubelet>) | undefined
  let resources: ResourceMetrics | undefined
  const collect = (): ReadonlyArray<Context.Context<never>> => {
    gaugeKubelets(kubelets?.() ?? [], context)
    return resources === undefined ? [] : [resources.context]
  }
  return {
    meter: makeKubeletMeter(context),
    /** Shows the configuration of credential plugins. */
    credentialConfig: (hash: string) => gaugeCredentialConfig(hash, context),
    /** Sets the source of the kubelets. */
    follow: (running: () => Iterable<Kubelet>) => {
      kubelets = running
    },
    /** Returns the kubelets; undefined if their source is not set yet. */
    kubelets: () => kubelets?.(),
    followResources: (metrics: ResourceMetrics) => {
      resources = metrics
    },
    collect,
    /** Returns the page `/metrics`. */
    page: () => expositionOf([...own.snapshot(), ...[context, ...collect()].flatMap(snapshotsOf)])
  }
})
