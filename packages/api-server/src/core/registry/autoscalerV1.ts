import type { HorizontalPodAutoscaler, KubeObject, MetricSpec, ScalingRules } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import { decodeValue, wireTypeNamed, withoutEmpties } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { metricFromV1, metricToV1, specPairs, statusPairs } from "./autoscalerMetricsV1.ts"

/*
 * HorizontalPodAutoscalers of autoscaling/v1, which has one metric: what else an object has is in annotations. Upstream:
 * pkg/apis/autoscaling/v1/conversion.go.
 */

const prefix = "autoscaling.alpha.kubernetes.io/"
const named = (...names: ReadonlyArray<string>): ReadonlySet<string> => new Set(names.map((name) => `${prefix}${name}`))
const specNames = named("metrics", "behavior", "scale-down-tolerance", "scale-up-tolerance")
const statusNames = named("current-metrics", "conditions")
const roundTrip: ReadonlySet<string> = new Set([...specNames, ...statusNames])

// biome-ignore lint/suspicious/noExplicitAny: JSON of annotations, in the form of another version
type Json = any

type Autoscaler = HorizontalPodAutoscaler

/** Returns the object without absent fields. */
const present = (fields: Record<string, unknown>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const percentOfCpu = ({ resource, type }: MetricSpec): number | undefined =>
  type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined

/** Returns the object with the annotations that have these names as they are in `source`, which may be undefined. */
const withAnnotationsOf =
  (names: ReadonlySet<string>) =>
  <A extends KubeObject>(object: A, source?: A): A => {
    const given = Object.entries(object.metadata.annotations ?? {})
    const taken = Object.entries(source?.metadata.annotations ?? {}).filter(([name]) => names.has(name))
    const kept = given.filter(([name]) => !names.has(name))
    if (taken.length === 0 && kept.length === given.length) return object
    const { annotations: _, ...metadata } = object.metadata
    const annotations = Object.fromEntries([...kept, ...taken])
    return {
      ...object,
      metadata: kept.length + taken.length === 0 ? metadata : { ...metadata, annotations }
    }
  }

/** An object of v2 has none of the annotations in which v1 has what it has no field for. */
export const withoutRoundTrip = <A extends KubeObject>(object: A): A => withAnnotationsOf(roundTrip)(object)

/** An object of v1 with the annotations that are part of the spec of another, of its status. */
export const withSpecOf = /* @__PURE__ */ withAnnotationsOf(specNames)
export const withStatusOf = /* @__PURE__ */ withAnnotationsOf(statusNames)

/** The fields of Go's internal struct, which has no JSON names. */
const rulesToV1 = (rules: ScalingRules | undefined): Json =>
  rules === undefined
    ? null
    : {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies: (rules.policies ?? []).map(({ periodSeconds, type, value }) => ({
          Type: type,
          Value: value,
          PeriodSeconds: periodSeconds
        })),
        Tolerance: rules.tolerance ?? null
      }

export const toV1 = (stored: KubeObject): KubeObject => {
  const { metadata, spec = {} as Autoscaler["spec"], status } = stored as Autoscaler
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !roundTrip.has(name))
  const others = (spec.metrics ?? []).filter((metric) => percentOfCpu(metric) === undefined)
  const current = status?.currentMetrics ?? []
  const conditions = (status?.conditions ?? []).map(
    // In the order in which Go writes them.
    ({ lastTransitionTime, message, reason, status: is, type }) => ({
      type,
      status: is,
      lastTransitionTime: lastTransitionTime ?? null,
      reason,
      message
    })
  )
  const annotations = [
    ...kept,
    ...(others.length === 0
      ? []
      : [[`${prefix}metrics`, JSON.stringify(others.map((metric) => metricToV1(metric, specPairs)))]]),
    ...(current.length === 0
      ? []
      : [[`${prefix}current-metrics`, JSON.stringify(current.map((metric) => metricToV1(metric, statusPairs)))]]),
    ...(spec.behavior === undefined
      ? []
      : [
          [
            `${prefix}behavior`,
            JSON.stringify({ ScaleUp: rulesToV1(spec.behavior.scaleUp), ScaleDown: rulesToV1(spec.behavior.scaleDown) })
          ]
        ]),
    ...(conditions.length === 0 ? [] : [[`${prefix}conditions`, JSON.stringify(conditions)]])
  ]
  const { annotations: _, ...rest } = metadata
  const cpu = current.filter(({ resource, type }) => type === "Resource" && resource?.name === "cpu")
  return {
    kind: stored.kind,
    apiVersion: "autoscaling/v1",
    metadata: annotations.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(annotations) },
    spec: present({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: (spec.metrics ?? []).map(percentOfCpu).find((percent) => percent !== undefined)
    }),
    status: present({
      observedGeneration: status?.observedGeneration,
      lastScaleTime: status?.lastScaleTime,
      currentReplicas: status?.currentReplicas ?? 0,
      desiredReplicas: status?.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: cpu.findLast(
        ({ resource }) => resource?.current.averageUtilization !== undefined
      )?.resource?.current.averageUtilization
    })
  } as KubeObject
}

/**
 * Returns the value of an annotation as that of v2 which `convert` makes of it; undefined if there is none, or if Go could
 * not decode it: such an annotation is ignored.
 */
const decoded = ({ metadata }: KubeObject, name: string, type: string, convert: (value: Json) => unknown): Json => {
  const text = metadata.annotations?.[`${prefix}${name}`]
  const parsed = text === undefined ? undefined : parse(text)
  const message = wireTypeNamed(`io.k8s.api.autoscaling.v2.${type}`)
  if (parsed === undefined || message === undefined) return undefined
  const decode = (item: Json): Json => {
    const converted = convert(item)
    const result = isFields(converted) ? decodeValue(message, converted) : undefined
    return result !== undefined && Result.isSuccess(result) ? withoutEmpties(result.success.value as object) : undefined
  }
  if (type === BEHAVIOR) return decode(parsed)
  const values = Array.isArray(parsed) ? parsed.map(decode) : [undefined]
  return values.includes(undefined) ? undefined : values
}

const BEHAVIOR = "HorizontalPodAutoscalerBehavior"

const parse = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Go ignores the case of names that it decodes. */
const lowerKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(lowerKeys)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(
    entries.map(([name, field]) => [name.charAt(0).toLowerCase() + name.slice(1), lowerKeys(field)])
  )
}

const cpuTarget = (percent: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: percent } }
})

const DEFAULT_PERCENT = 80

export const fromV1 = (shown: KubeObject): KubeObject => {
  // What is made of parts of the object has no mark of its empties.
  const { metadata, spec = {}, status = {} } = withoutEmpties(shown) as Json
  const { targetCPUUtilizationPercentage: percent, ...rest } = spec
  const { currentCPUUtilizationPercentage: current, ...restOfStatus } = status
  const others = decoded(shown, "metrics", "MetricSpec", (metric) => metricFromV1(metric, specPairs))
  const metrics = [...(others ?? []), ...(percent === undefined ? [] : [cpuTarget(percent)])]
  const behavior = decoded(shown, "behavior", BEHAVIOR, lowerKeys)
  const statuses = decoded(shown, "current-metrics", "MetricStatus", (metric) => metricFromV1(metric, statusPairs))
  const conditions = decoded(shown, "conditions", "HorizontalPodAutoscalerCondition", (condition) => condition)
  const cpu = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }
  const currentMetrics = statuses ?? (current === undefined ? null : [cpu])
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !roundTrip.has(name))
  const { annotations: _, ...unannotated } = metadata
  // An empty list removes all owners.
  const { managedFields } = shown.metadata
  const meta = managedFields?.length === 0 ? { ...unannotated, managedFields } : unannotated
  return {
    kind: shown.kind,
    apiVersion: "autoscaling/v2",
    metadata: kept.length === 0 ? meta : { ...meta, annotations: Object.fromEntries(kept) },
    spec: present({
      ...rest,
      metrics: metrics.length === 0 ? [cpuTarget(DEFAULT_PERCENT)] : metrics,
      behavior: behavior === undefined || Object.keys(behavior).length === 0 ? undefined : behavior
    }),
    status: present({
      ...restOfStatus,
      currentReplicas: status.currentReplicas || undefined,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentMetrics,
      conditions
    })
  } as Json
}
