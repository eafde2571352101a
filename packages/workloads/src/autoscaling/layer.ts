import {
  type CrossVersionObjectReference,
  type HorizontalPodAutoscaler,
  matchesLabelSelector,
  type Pod,
  parseLabelSelector,
  type Selector
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"
import { Controller, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { History } from "./History.ts"
import { MetricsSource } from "./MetricsSource.ts"
import { type AutoscalerConfig, defaultAutoscalerConfig } from "./metrics.ts"
import { type AutoscalerCalls, reconcileAutoscaler } from "./reconcile.ts"
import { TargetScales } from "./TargetScales.ts"

/** What the controller remembers of an autoscaler. */
interface Known {
  readonly history: History
  /** Selects the pods of its workload, once that is known. */
  selector: Selector | undefined
}

const versionFault = ({ apiVersion = "" }: CrossVersionObjectReference): string | undefined =>
  apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined

const keyText = (key: string): string => {
  const { name, namespace } = splitKey(key)
  return `{${name} ${namespace}}`
}

/**
 * Scales workloads by the metrics of their HorizontalPodAutoscalers while the layer lives, through the Cluster in
 * context. The metrics come from the `MetricsSource` in context, if there is one. Upstream:
 * pkg/controller/podautoscaler/horizontal.go.
 */
export const layerAutoscalers = (config: Partial<AutoscalerConfig> = {}) => {
  const settings = { ...defaultAutoscalerConfig, ...config }
  return Controller.make({
    name: "horizontal-pod-autoscaler",
    queue: "horizontalpodautoscaler",
    records: true,
    for: "HorizontalPodAutoscaler",
    // Upstream's queue has one interval for new objects, for changed ones, and for the next reconcile.
    delayMs: (_, { isDeleted }) => (isDeleted ? 0 : settings.syncPeriodMs),
    watches: { Pod: { indexes: { namespace: ({ metadata }) => metadata.namespace } } },
    workers: settings.concurrentSyncs,
    reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
      const source = Option.getOrUndefined(yield* Effect.serviceOption(MetricsSource))
      const { ask } = source ?? (yield* Effect.provide(MetricsSource, MetricsSource.layerNone))
      const autoscalers = cache("HorizontalPodAutoscaler")
      const scales = new TargetScales(cluster)
      const known = new Map<string, Known>()
      const knownOf = (key: string): Known => {
        const found = known.get(key) ?? { history: new History(), selector: undefined }
        known.set(key, found)
        return found
      }
      const podsIn = (namespace: string, selector: Selector) =>
        cache("Pod")
          .byIndex("namespace", namespace)
          .filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
      /** Returns why pods belong to several autoscalers, or undefined. */
      const ambiguityOf = (key: string, namespace: string, text: string, pods: ReadonlyArray<Pod>) => {
        const parsed = parseLabelSelector(text)
        if (Result.isSuccess(parsed)) knownOf(key).selector = parsed.success
        const controlling = [...known].filter(
          ([other, { selector }]) =>
            splitKey(other).namespace === namespace &&
            selector !== undefined &&
            pods.some(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
        )
        if (controlling.length <= 1) return undefined
        const names = controlling.map(([other]) => keyText(other)).sort()
        return `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`
      }
      const callsFor = (key: string, autoscaler: HorizontalPodAutoscaler): AutoscalerCalls => {
        const { namespace } = splitKey(key)
        const { scaleTargetRef: target } = autoscaler.spec
        let set: ((replicas: number) => Effect.Effect<void, string>) | undefined
        const getScale = Effect.gen(function* () {
          const fault = versionFault(target)
          if (fault !== undefined) {
            return yield* Effect.fail({
              detail: fault,
              error: `invalid API version in scale target reference: ${fault}`
            })
          }
          const unknown = (detail: string) => ({
            detail,
            error: `unable to determine resource for scale target reference: ${detail}`
          })
          const kind = yield* scales.kindOf(target).pipe(Effect.mapError(unknown))
          const reference = `${target.kind}/${namespace}/${target.name}`
          const failed = (detail: string) => ({
            detail,
            error: `failed to query scale subresource for ${reference}: ${detail}`
          })
          const scale = yield* scales.get(kind, namespace, target.name).pipe(Effect.mapError(failed))
          set = scale.set
          return scale
        })
        return {
          getScale,
          setReplicas: (replicas) => set?.(replicas) ?? Effect.void,
          metric: (spec, selector) =>
            ask({ spec, namespace, selector, pods: podsIn(namespace, selector), now: timers.now() }),
          pods: (selector) => podsIn(namespace, selector),
          ambiguity: (text, pods) => ambiguityOf(key, namespace, text, pods),
          event: (type, reason, message) => recorder.event(autoscaler, type, reason, message)
        }
      }
      return Effect.fnUntraced(function* (key: string) {
        const { name, namespace } = splitKey(key)
        const autoscaler = autoscalers.find(name, namespace)
        if (autoscaler === undefined) {
          known.delete(key)
          return
        }
        queue.addAfter(key, settings.syncPeriodMs)
        const { history } = knownOf(key)
        const calls = callsFor(key, autoscaler)
        const { error, status } = yield* reconcileAutoscaler(autoscaler, history, settings, timers.now(), calls)
        if (error !== undefined) {
          const fields = { namespace, name, error }
          yield* Effect.logDebug("an autoscaler could not be reconciled").pipe(Effect.annotateLogs(fields))
        }
        if (semanticEqual(status, autoscaler.status ?? {})) return
        yield* cluster
          .updateStatus("HorizontalPodAutoscaler", { ...autoscaler, status })
          .pipe(
            Effect.catch((failure) => Effect.sync(() => calls.event("Warning", "FailedUpdateStatus", failure.message)))
          )
      })
    })
  })
}
