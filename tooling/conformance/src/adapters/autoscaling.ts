import {
  type AutoscalerCondition,
  approximateValue,
  type HorizontalPodAutoscaler,
  type MetricSpec,
  parseTime
} from "@rollcall/api"
import {
  AutoscalerHistory,
  behaviorRules,
  defaultAutoscalerConfig,
  faultCondition,
  type MetricAnswer,
  metricProposal,
  normalized,
  reconcileAutoscaler
} from "@rollcall/workloads/rules"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapters, Json, VectorCase } from "../Adapter.ts"

type Given = { readonly given: Json }

/** The tests of Kubernetes in which the vectors were recorded set this factor. */
const FACTOR_IN_TESTS = 8

const nameOf = ({ containerResource, external, object, pods, resource }: MetricSpec): string =>
  resource?.name ??
  (containerResource && `${containerResource.name}/${containerResource.container}`) ??
  (pods ?? object ?? external)?.metric.name ??
  ""

const answerOf = (spec: MetricSpec, given: Json, now: number): MetricAnswer => {
  const answer = given.metrics?.[nameOf(spec)] ?? {}
  if (answer.error !== undefined) return { error: answer.error }
  if (answer.values !== undefined) return { values: answer.values }
  const pods = Object.entries<Json>(answer.pods ?? {}).map(
    ([name, { timestamp, value, window = 60 }]) =>
      [
        name,
        { value, timestamp: timestamp === undefined ? now : parseTime(timestamp), windowMs: window * 1000 }
      ] as const
  )
  return { pods: new Map(pods) }
}

const replicaCount = ({ given }: Given): Json => {
  const now = parseTime(given.now)
  const { cpuInitializationPeriod, initialReadinessDelay, tolerance } = given.config
  const own = (rules: Json) => (rules?.tolerance === undefined ? tolerance : approximateValue(rules.tolerance))
  const judged = metricProposal(
    given.metric,
    answerOf(given.metric, given, now),
    {
      specReplicas: given.specReplicas,
      statusReplicas: given.statusReplicas,
      pods: given.pods,
      tolerances: { up: own(given.behavior?.scaleUp), down: own(given.behavior?.scaleDown) },
      now,
      config: {
        cpuInitializationMs: cpuInitializationPeriod * 1000,
        initialReadinessDelayMs: initialReadinessDelay * 1000
      }
    },
    "ns"
  )
  if (Result.isFailure(judged)) return { error: judged.failure.error, condition: faultCondition(judged.failure) }
  const { name, replicas, status } = judged.success
  return { replicas, metricName: name, status }
}

const behavior = ({ given, when }: Pick<VectorCase, "given" | "when">): Json => {
  const { downscaleStabilization, maxReplicas, minReplicas } = given
  const config = {
    ...defaultAutoscalerConfig,
    scaleUpFactor: FACTOR_IN_TESTS,
    downscaleStabilizationMs: downscaleStabilization * 1000
  }
  const autoscaler = {
    metadata: {},
    spec: { maxReplicas, minReplicas, behavior: given.behavior }
  } as HorizontalPodAutoscaler
  const history = new AutoscalerHistory()
  let replicas = 0
  const afterSteps = when.map((step: Json) => {
    const now = step.at * 1000
    const current = step.current ?? replicas
    history.begin(current, now)
    const conditions = new Map<string, Omit<AutoscalerCondition, "type">>()
    const bounds = { current, min: minReplicas, max: maxReplicas }
    replicas = normalized(autoscaler, step.desired, bounds, history, now, config, ({ type, ...condition }) =>
      conditions.set(type, condition)
    )
    const rules = behaviorRules(autoscaler, config)
    if (replicas !== current && rules !== undefined) history.changed(current, replicas, rules, now)
    return {
      replicas,
      ableToScale: conditions.get("AbleToScale")?.reason,
      scalingLimited: conditions.get("ScalingLimited")
    }
  })
  return { afterSteps }
}

const conditions = ({ given }: Given): Json => {
  const now = parseTime(given.now)
  const autoscaler: HorizontalPodAutoscaler = given.hpa
  const { kind, apiVersion = "" } = autoscaler.spec.scaleTargetRef
  const events: Array<string> = []
  let scaleTo: number | undefined
  const { getError, selector = "", specReplicas, statusReplicas, updateError } = given.scale
  const [group = ""] = apiVersion.split("/")
  const unknown = `no matches for ${group}/, Resource=${kind}`
  const result = Effect.runSync(
    reconcileAutoscaler(
      autoscaler,
      new AutoscalerHistory(),
      { ...defaultAutoscalerConfig, scaleUpFactor: FACTOR_IN_TESTS },
      now,
      {
        getScale:
          kind !== "Deployment"
            ? Effect.fail({
                detail: unknown,
                error: `unable to determine resource for scale target reference: ${unknown}`,
                isSpecFault: false
              })
            : getError === undefined
              ? Effect.succeed({ replicas: specReplicas, statusReplicas, selector })
              : Effect.fail({
                  detail: getError,
                  error: `failed to query scale subresource for ${kind}/ns/${autoscaler.spec.scaleTargetRef.name}: ${getError}`,
                  isSpecFault: false
                }),
        setReplicas: (replicas) => {
          if (updateError !== undefined) return Effect.fail(updateError)
          scaleTo = replicas
          return Effect.void
        },
        metric: (spec) => Effect.succeed(answerOf(spec, given, now)),
        pods: () => given.pods ?? [],
        ambiguity: () => undefined,
        event: (type, reason, message) => void events.push(`${type} ${reason} ${message}`),
        computed: () => undefined,
        now: () => now
      }
    )
  )
  const { conditions = [], currentMetrics, currentReplicas = 0, desiredReplicas = 0, lastScaleTime } = result.status
  const before = autoscaler.status ?? {}
  const isSame = JSON.stringify(result.status) === JSON.stringify(before)
  return {
    ...(isSame
      ? {}
      : {
          status: {
            currentReplicas,
            desiredReplicas,
            rescaled: lastScaleTime !== undefined && lastScaleTime !== before.lastScaleTime,
            conditions: conditions.map(({ lastTransitionTime: _, ...condition }) => condition),
            currentMetrics: currentMetrics ?? []
          }
        }),
    ...(scaleTo === undefined ? {} : { scaleTo }),
    events,
    ...(result.error === undefined ? {} : { error: result.error })
  }
}

export const autoscalerAdapters: Adapters = {
  "hpa/behavior": behavior,
  "hpa/conditions": conditions,
  "hpa/replica-count": replicaCount
}
