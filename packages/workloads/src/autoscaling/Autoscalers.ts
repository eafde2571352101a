import {
  type CrossVersionObjectReference,
  type HorizontalPodAutoscaler,
  matchesLabelSelector,
  type Pod,
  parseLabelSelector,
  type Selector
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"
import { type ClusterShape, type EventRecorder, type Informer, splitKey, type WorkQueue } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { logLine, unhandledError } from "../unhandledError.ts"
import { History } from "./History.ts"
import type { MetricsSourceShape } from "./MetricsSource.ts"
import type { AutoscalerConfig } from "./metrics.ts"
import type { AutoscalerMonitor } from "./monitor.ts"
import { type AutoscalerCalls, reconcileAutoscaler } from "./reconcile.ts"
import { isUnknownKind, noMatch, TargetScales, targetKind } from "./TargetScales.ts"

/** What the controller needs. */
export interface AutoscalerParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly queue: WorkQueue<string>
  readonly autoscalers: Informer<"HorizontalPodAutoscaler">
  /** Has the index `namespace`. */
  readonly pods: Informer<"Pod">
  readonly source: MetricsSourceShape
  readonly config: AutoscalerConfig
  readonly monitor: AutoscalerMonitor
}

/** What the controller remembers of an autoscaler. */
interface Known {
  readonly history: History
  /** Selects the pods of its workload, once that is known. */
  selector: Selector | undefined
}

const versionFault = ({ apiVersion = "" }: CrossVersionObjectReference): string | undefined =>
  apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined

/** Scales workloads by the metrics of their autoscalers. Upstream: pkg/controller/podautoscaler/horizontal.go. */
export class Autoscalers {
  private readonly parts: AutoscalerParts
  private readonly scales: TargetScales
  private readonly known = new Map<string, Known>()

  constructor(parts: AutoscalerParts) {
    this.parts = parts
    this.scales = new TargetScales(parts.cluster)
  }

  private knownOf(key: string): Known {
    const found = this.known.get(key) ?? { history: new History(), selector: undefined }
    this.known.set(key, found)
    return found
  }

  private podsIn(namespace: string, selector: Selector): ReadonlyArray<Pod> {
    const pods = this.parts.pods.byIndex("namespace", namespace)
    return pods.filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
  }

  /** Returns why pods belong to several autoscalers, or undefined. */
  private ambiguityOf(key: string, text: string, pods: ReadonlyArray<Pod>): string | undefined {
    const { namespace } = splitKey(key)
    const parsed = parseLabelSelector(text)
    if (Result.isSuccess(parsed)) this.knownOf(key).selector = parsed.success
    const controlling = [...this.known].filter(
      ([other, { selector }]) =>
        splitKey(other).namespace === namespace &&
        selector !== undefined &&
        pods.some(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
    )
    if (controlling.length <= 1) return undefined
    const names = controlling.map(([other]) => other).sort()
    return `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`
  }

  /** Returns the scale of the workload that an autoscaler names. */
  private readonly scaleOf = Effect.fnUntraced(
    { self: this },
    function* (this: Autoscalers, namespace: string, target: CrossVersionObjectReference) {
      const failed =
        (what: string, isSpecFault = false) =>
        (detail: string) => ({ detail, error: `${what}: ${detail}`, isSpecFault })
      const fault = versionFault(target)
      if (fault !== undefined) {
        return yield* Effect.fail(failed("invalid API version in scale target reference", true)(fault))
      }
      const undetermined = failed("unable to determine resource for scale target reference")
      const kind = targetKind(target)
      if (kind === undefined) return yield* Effect.fail(undetermined(noMatch(target)))
      const unqueried = failed(`failed to query scale subresource for ${target.kind}/${namespace}/${target.name}`)
      return yield* this.scales
        .get(kind, namespace, target.name)
        .pipe(Effect.mapError((detail) => (isUnknownKind(detail) ? undetermined(noMatch(target)) : unqueried(detail))))
    }
  )

  private callsFor(key: string, autoscaler: HorizontalPodAutoscaler): AutoscalerCalls {
    const { monitor, recorder, source, timers } = this.parts
    const { namespace } = splitKey(key)
    let set: ((replicas: number) => Effect.Effect<void, string>) | undefined
    return {
      getScale: this.scaleOf(namespace, autoscaler.spec.scaleTargetRef).pipe(
        Effect.tap((scale) =>
          Effect.sync(() => {
            set = scale.set
          })
        )
      ),
      setReplicas: (replicas) => set?.(replicas) ?? Effect.void,
      metric: (spec, selector) =>
        source.ask({ spec, namespace, selector, pods: this.podsIn(namespace, selector), now: timers.now() }),
      pods: (selector) => this.podsIn(namespace, selector),
      ambiguity: (text, pods) => this.ambiguityOf(key, text, pods),
      event: (type, reason, message) => recorder.event(autoscaler, type, reason, message),
      computed: ({ type }, beganMs, action, fault) => {
        const error = fault === undefined ? "none" : fault.isSpecFault === true ? "spec" : "internal"
        monitor.computed(action, error, (timers.now() - beganMs) / 1000, type)
      },
      now: timers.now
    }
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: Autoscalers, key: string) {
    const { autoscalers, cluster, config, monitor, queue, timers } = this.parts
    const { name, namespace } = splitKey(key)
    const autoscaler = autoscalers.find(name, namespace)
    if (autoscaler === undefined) {
      this.known.delete(key)
      return
    }
    // Whatever this one does: a failure must not be tried again sooner.
    queue.addAfter(key, config.syncPeriodMs)
    const calls = this.callsFor(key, autoscaler)
    const { history } = this.knownOf(key)
    const beganMs = timers.now()
    const { action, error, isSpecFault, status } = yield* reconcileAutoscaler(
      autoscaler,
      history,
      config,
      beganMs,
      calls
    )
    const label = error === undefined ? "none" : isSpecFault ? "spec" : "internal"
    monitor.reconciled(action, label, (timers.now() - beganMs) / 1000)
    if (status.desiredReplicas !== undefined) monitor.desires(namespace, name, status.desiredReplicas)
    if (error !== undefined) yield* logLine(unhandledError(error))
    if (semanticEqual(status, autoscaler.status ?? {})) return
    yield* cluster.updateStatus("HorizontalPodAutoscaler", { ...autoscaler, status }).pipe(
      Effect.catch(({ message }) => {
        calls.event("Warning", "FailedUpdateStatus", message)
        return logLine(unhandledError(`failed to update status for ${name}: ${message}`))
      })
    )
  })
}
