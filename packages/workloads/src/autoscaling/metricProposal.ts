import {
  type AutoscalerCondition,
  formatQuantity,
  type LabelSelector,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  makeMilliQuantity,
  milliValue
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { MetricAnswer, PodMetrics } from "./metrics.ts"
import { byAverage, byUtilization, byValue, byValuePerPod, type Workload } from "./podMetrics.ts"

/** Upstream: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric. */

/** What one metric proposes. */
export interface MetricProposal {
  readonly replicas: number
  /** How conditions and Events name the metric. */
  readonly name: string
  readonly status: MetricStatus
}

/** Why a metric proposes nothing. */
export interface MetricFault {
  readonly error: string
  readonly reason: string
  /** The text of the Event. */
  readonly detail: string
  /** Whether the autoscaler itself is wrong. */
  readonly isSpecFault?: true
}

export const faultCondition = ({ detail, reason }: MetricFault): AutoscalerCondition => ({
  type: "ScalingActive",
  status: "False",
  reason,
  message: `the HPA was unable to compute the replica count: ${detail}`
})

type Judged = Result.Result<MetricProposal, MetricFault>

/** Converts as Go does on amd64: the average over no replicas is the smallest number. */
const toInt64 = (value: number): number | bigint => (Number.isFinite(value) ? value : -(2n ** 63n))

const milliText = (milli: number, resource = ""): string =>
  formatQuantity(makeMilliQuantity(toInt64(milli), resource === "memory" ? "BinarySI" : "DecimalSI"))

/** Returns the text that Go's %+v prints of a selector. */
const selectorText = (selector: LabelSelector | undefined): string => {
  if (selector === undefined) return "nil"
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1))
  const map = labels.map(([key, value]) => `${key}: ${value},`).join("")
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],}`
  )
  return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:[]LabelSelectorRequirement{${expressions
    .map((text) => `${text},`)
    .join("")}},}`
}

const podsOf = (answer: MetricAnswer, why: string): Result.Result<PodMetrics, string> => {
  if ("pods" in answer) return Result.succeed(answer.pods)
  return Result.fail(`${why}: ${"error" in answer ? answer.error : "no metrics of pods"}`)
}

const sumOf = (answer: MetricAnswer): Result.Result<number, string> => {
  if ("values" in answer) return Result.succeed(answer.values.reduce((sum, value) => sum + value, 0))
  return Result.fail("error" in answer ? answer.error : "no values")
}

interface OfResource {
  readonly name: string
  readonly target: MetricTarget
  readonly container?: string
}

const ofResource = ({ container = "", name, target }: OfResource, answer: MetricAnswer, workload: Workload) => {
  const metrics = podsOf(answer, `unable to get metrics for resource ${name}`)
  if (target.averageValue !== undefined) {
    const wanted = milliValue(target.averageValue)
    const proposal = Result.flatMap(metrics, (pods) => byAverage(workload, pods, wanted, name))
    return Result.mapBoth(proposal, {
      onFailure: (error) => `failed to get ${name} usage: ${error}`,
      onSuccess: ({ replicas, use }) => ({
        replicas,
        name: `${name} resource`,
        current: { averageValue: milliText(use.average, name) }
      })
    })
  }
  const { averageUtilization } = target
  if (averageUtilization === undefined) {
    return Result.fail(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"
    )
  }
  const proposal = Result.flatMap(metrics, (pods) => byUtilization(workload, pods, averageUtilization, name, container))
  return Result.mapBoth(proposal, {
    onFailure: (error) => `failed to get ${name} utilization: ${error}`,
    onSuccess: ({ replicas, use }) => ({
      replicas,
      name: `${name} ${container === "" ? "" : "container "}resource utilization (percentage of request)`,
      current: { averageUtilization: use.utilization, averageValue: milliText(use.average, name) }
    })
  })
}

const failed = (reason: string, prefix: string, detail: string, error = detail): Judged =>
  Result.fail({ reason, detail, error: `${prefix}: ${error}` })

const judgeResource = (spec: MetricSpec, answer: MetricAnswer, workload: Workload): Judged => {
  const { resource } = spec
  if (resource === undefined) return unknownType(spec)
  const result = ofResource(resource, answer, workload)
  if (Result.isFailure(result)) {
    return failed("FailedGetResourceMetric", `failed to get ${resource.name} resource metric value`, result.failure)
  }
  const { current, name, replicas } = result.success
  return Result.succeed({ replicas, name, status: { type: "Resource", resource: { name: resource.name, current } } })
}

const judgeContainer = (spec: MetricSpec, answer: MetricAnswer, workload: Workload): Judged => {
  const { containerResource } = spec
  if (containerResource === undefined) return unknownType(spec)
  const { container, name: resource } = containerResource
  const result = ofResource(containerResource, answer, workload)
  if (Result.isFailure(result)) {
    const prefix = `failed to get ${container} container metric value`
    return failed("FailedGetContainerResourceMetric", prefix, result.failure)
  }
  const { current, name, replicas } = result.success
  const status = { type: "ContainerResource", containerResource: { name: resource, container, current } }
  return Result.succeed({ replicas, name, status })
}

const judgePods = (spec: MetricSpec, answer: MetricAnswer, workload: Workload): Judged => {
  const { pods } = spec
  if (pods === undefined) return unknownType(spec)
  const { metric, target } = pods
  const metrics = podsOf(answer, `unable to get metric ${metric.name}`)
  const wanted = milliValue(target.averageValue ?? 0)
  const result = Result.flatMap(metrics, (known) => byAverage(workload, known, wanted, ""))
  if (Result.isFailure(result)) return failed("FailedGetPodsMetric", "failed to get pods metric value", result.failure)
  const { replicas, use } = result.success
  const status = { type: "Pods", pods: { metric, current: { averageValue: milliText(use.average) } } }
  return Result.succeed({ replicas, name: `pods metric ${metric.name}`, status })
}

const judgeObject = (spec: MetricSpec, answer: MetricAnswer, workload: Workload, namespace: string): Judged => {
  const { object } = spec
  if (object === undefined) return unknownType(spec)
  const { describedObject, metric, target } = object
  const fail = (detail: string, error = detail) =>
    failed("FailedGetObjectMetric", "failed to get object metric value", detail, error)
  const sum = Result.mapError(
    sumOf(answer),
    (error) =>
      `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/${error}`
  )
  const statusOf = (current: object): MetricStatus => ({ type: "Object", object: { describedObject, metric, current } })
  if (target.type === "Value" && target.value !== undefined) {
    if (Result.isFailure(sum)) return fail(sum.failure)
    const replicas = byValue(workload, sum.success, milliValue(target.value))
    if (Result.isFailure(replicas)) return fail(replicas.failure)
    const name = `${describedObject.kind} metric ${metric.name}`
    return Result.succeed({ replicas: replicas.success, name, status: statusOf({ value: milliText(sum.success) }) })
  }
  if (target.type === "AverageValue" && target.averageValue !== undefined) {
    if (Result.isFailure(sum)) return fail(sum.failure, `failed to get ${metric.name} object metric: ${sum.failure}`)
    const { replicas, use } = byValuePerPod(workload, sum.success, milliValue(target.averageValue))
    const name = `external metric ${metric.name}(${selectorText(metric.selector)})`
    return Result.succeed({ replicas, name, status: statusOf({ averageValue: milliText(use) }) })
  }
  return fail("invalid object metric source: neither a value target nor an average value target was set")
}

const judgeExternal = (spec: MetricSpec, answer: MetricAnswer, workload: Workload, namespace: string): Judged => {
  const { external } = spec
  if (external === undefined) return unknownType(spec)
  const { metric, target } = external
  const prefix = `failed to get ${metric.name} external metric value`
  const fail = (detail: string, error = detail) => failed("FailedGetExternalMetric", prefix, detail, error)
  const shown = selectorText(metric.selector)
  const sum = Result.mapError(
    sumOf(answer),
    (error) => `unable to get external metric ${namespace}/${metric.name}/${shown}: ${error}`
  )
  const name = `external metric ${metric.name}(${shown})`
  const statusOf = (current: object): MetricStatus => ({ type: "External", external: { metric, current } })
  if (target.averageValue !== undefined) {
    if (Result.isFailure(sum)) return fail(sum.failure, `failed to get ${metric.name} external metric: ${sum.failure}`)
    const { replicas, use } = byValuePerPod(workload, sum.success, milliValue(target.averageValue))
    return Result.succeed({ replicas, name, status: statusOf({ averageValue: milliText(use) }) })
  }
  if (target.value === undefined) {
    return fail("invalid external metric source: neither a value target nor an average value target was set")
  }
  const replicas = Result.flatMap(sum, (use) => byValue(workload, use, milliValue(target.value ?? 0)))
  if (Result.isFailure(sum) || Result.isFailure(replicas)) {
    const why = Result.isFailure(sum) ? sum.failure : Result.isFailure(replicas) ? replicas.failure : ""
    return fail(why, `failed to get external metric ${metric.name}: ${why}`)
  }
  return Result.succeed({ replicas: replicas.success, name, status: statusOf({ value: milliText(sum.success) }) })
}

const unknownType = ({ type }: MetricSpec): Judged => {
  const detail = `unknown metric source type ${JSON.stringify(type)}`
  return Result.fail({ reason: "InvalidMetricSourceType", detail, error: detail, isSpecFault: true })
}

const judges = {
  Object: judgeObject,
  Pods: judgePods,
  Resource: judgeResource,
  ContainerResource: judgeContainer,
  External: judgeExternal
}

/** Returns what one metric of an autoscaler proposes, from what the source of metrics answered. */
export const metricProposal = (
  spec: MetricSpec,
  answer: MetricAnswer,
  workload: Workload,
  namespace: string
): Judged => {
  const judge = Object.hasOwn(judges, spec.type) ? judges[spec.type as keyof typeof judges] : unknownType
  return judge(spec, answer, workload, namespace)
}
