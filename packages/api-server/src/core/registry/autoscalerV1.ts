import type { HorizontalPodAutoscaler, KubeObject, MetricSpec, MetricStatus, ScalingRules } from "@rollcall/api"

/*
 * HorizontalPodAutoscalers of autoscaling/v1, which has one metric: what else an object has is in annotations. Upstream:
 * pkg/apis/autoscaling/v1/conversion.go.
 */

const prefix = "autoscaling.alpha.kubernetes.io/"
const names = ["metrics", "current-metrics", "conditions", "behavior", "scale-down-tolerance", "scale-up-tolerance"]
const roundTrip: ReadonlySet<string> = new Set(names.map((name) => `${prefix}${name}`))

// biome-ignore lint/suspicious/noExplicitAny: JSON of annotations, in the form of another version
type Json = any

type Autoscaler = HorizontalPodAutoscaler
type Conditions = NonNullable<Autoscaler["status"]>["conditions"]

/** Returns the object without absent fields. */
const present = (fields: Record<string, unknown>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const percentOfCpu = ({ resource, type }: MetricSpec): number | undefined =>
  type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined

const specToV1 = ({ containerResource, external, object, pods, resource, type }: MetricSpec): Json =>
  present({
    type,
    object:
      object &&
      present({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? "0",
        selector: object.metric.selector,
        averageValue: object.target.averageValue
      }),
    pods:
      pods &&
      present({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? "0",
        selector: pods.metric.selector
      }),
    resource: resource && resourceToV1(resource),
    containerResource: containerResource && {
      ...resourceToV1(containerResource),
      container: containerResource.container
    },
    external:
      external &&
      present({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue
      })
  })

const resourceToV1 = ({ name, target }: NonNullable<MetricSpec["resource"]>): Json =>
  present({
    name,
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue
  })

const statusToV1 = ({ containerResource, external, object, pods, resource, type }: MetricStatus): Json =>
  present({
    type,
    object:
      object &&
      present({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? "0",
        selector: object.metric.selector,
        averageValue: object.current.averageValue
      }),
    pods:
      pods &&
      present({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? "0",
        selector: pods.metric.selector
      }),
    resource: resource && currentToV1(resource),
    containerResource: containerResource && {
      ...currentToV1(containerResource),
      container: containerResource.container
    },
    external:
      external &&
      present({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? "0",
        currentAverageValue: external.current.averageValue
      })
  })

const currentToV1 = ({ current, name }: NonNullable<MetricStatus["resource"]>): Json =>
  present({
    name,
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? "0"
  })

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
  const { metadata, spec, status } = stored as Autoscaler
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !roundTrip.has(name))
  const others = (spec.metrics ?? []).filter((metric) => percentOfCpu(metric) === undefined)
  const current = status?.currentMetrics ?? []
  const conditions = status?.conditions ?? []
  const annotations = [
    ...kept,
    ...(others.length === 0 ? [] : [[`${prefix}metrics`, JSON.stringify(others.map(specToV1))]]),
    ...(current.length === 0 ? [] : [[`${prefix}current-metrics`, JSON.stringify(current.map(statusToV1))]]),
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

/** Parses the JSON of an annotation; undefined if there is none, or if it is none. */
const parsed = ({ metadata }: KubeObject, name: string): Json => {
  const text = metadata.annotations?.[`${prefix}${name}`]
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const targetOf = (type: string, fields: Record<string, unknown>): Json => present({ type, ...fields })

const resourceFromV1 = ({ name, targetAverageUtilization: percent, targetAverageValue: averageValue }: Json): Json => ({
  name,
  target: targetOf(percent === undefined ? "AverageValue" : "Utilization", {
    averageValue,
    averageUtilization: percent
  })
})

const specFromV1 = ({ containerResource, external, object, pods, resource, type }: Json): MetricSpec =>
  present({
    type,
    object:
      object &&
      (() => {
        const { averageValue, metricName, selector, target, targetValue } = object
        const isAverage = averageValue !== undefined
        const value = isAverage && Number(targetValue) === 0 ? undefined : targetValue
        return {
          describedObject: target,
          target: targetOf(isAverage ? "AverageValue" : "Value", { value, averageValue }),
          metric: present({ name: metricName, selector })
        }
      })(),
    pods: pods && {
      metric: present({ name: pods.metricName, selector: pods.selector }),
      target: targetOf("AverageValue", { averageValue: pods.targetAverageValue })
    },
    resource: resource && resourceFromV1(resource),
    containerResource: containerResource && {
      ...resourceFromV1(containerResource),
      container: containerResource.container
    },
    external: external && {
      metric: present({ name: external.metricName, selector: external.metricSelector }),
      target: targetOf(external.targetValue === undefined ? "AverageValue" : "Value", {
        value: external.targetValue,
        averageValue: external.targetAverageValue
      })
    }
  })

const currentFromV1 = ({ currentAverageUtilization, currentAverageValue, name }: Json): Json => ({
  name,
  current: present({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization })
})

const statusFromV1 = ({ containerResource, external, object, pods, resource, type }: Json): MetricStatus =>
  present({
    type,
    object: object && {
      metric: present({ name: object.metricName, selector: object.selector }),
      current: present({ value: object.currentValue, averageValue: object.averageValue }),
      describedObject: object.target
    },
    pods: pods && {
      metric: present({ name: pods.metricName, selector: pods.selector }),
      current: { averageValue: pods.currentAverageValue }
    },
    resource: resource && currentFromV1(resource),
    containerResource: containerResource && {
      ...currentFromV1(containerResource),
      container: containerResource.container
    },
    external: external && {
      metric: present({ name: external.metricName, selector: external.metricSelector }),
      current: present({ value: external.currentValue, averageValue: external.currentAverageValue })
    }
  })

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
  const { metadata, spec = {}, status = {} } = shown as Json
  const { targetCPUUtilizationPercentage: percent, ...rest } = spec
  const { currentCPUUtilizationPercentage: current, ...restOfStatus } = status
  const others = parsed(shown, "metrics")
  const metrics = [
    ...(Array.isArray(others) ? others.map(specFromV1) : []),
    ...(percent === undefined ? [] : [cpuTarget(percent)])
  ]
  const behavior = lowerKeys(parsed(shown, "behavior"))
  const statuses = parsed(shown, "current-metrics")
  const conditions: Conditions = parsed(shown, "conditions")
  const cpu = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }
  const currentMetrics = Array.isArray(statuses) ? statuses.map(statusFromV1) : current === undefined ? null : [cpu]
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !roundTrip.has(name))
  const { annotations: _, ...meta } = metadata
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
      conditions: Array.isArray(conditions) ? conditions : undefined
    })
  } as Json
}
