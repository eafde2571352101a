import { milliValue, type Pod, parseTime, podRequests } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AutoscalerConfig, PodMetric, PodMetrics } from "./metrics.ts"

/** Upstream: pkg/controller/podautoscaler/replica_calculator.go. */

/** How far the use may be from the target without a change, by direction. */
export interface Tolerances {
  readonly down: number
  readonly up: number
}

const isWithin = ({ down, up }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up

/** Converts as Go does on amd64: what does not fit is the smallest number. */
export const toInt32 = (value: number): number =>
  value >= -(2 ** 31) && value < 2 ** 31 ? Math.trunc(value) : -(2 ** 31)

/** What the calculation needs to know of the workload. */
export interface Workload {
  readonly specReplicas: number
  readonly statusReplicas: number
  /** All pods that the selector selects. */
  readonly pods: ReadonlyArray<Pod>
  readonly tolerances: Tolerances
  readonly now: number
  readonly config: Pick<AutoscalerConfig, "cpuInitializationMs" | "initialReadinessDelayMs">
}

interface Groups {
  readonly ready: number
  readonly unready: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  /** The metrics of ready pods. */
  readonly metrics: Map<string, PodMetric>
}

/** Whether the cpu that the pod uses says nothing yet, because the pod is still starting. */
const isStarting = ({ status }: Pod, metric: PodMetric, { config, now }: Workload): boolean => {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")
  if (ready === undefined || status?.startTime === undefined) return true
  const startedAt = parseTime(status.startTime)
  const changedAt = ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : Number.NEGATIVE_INFINITY
  if (startedAt + config.cpuInitializationMs > now) {
    return ready.status === "False" || metric.timestamp < changedAt + metric.windowMs
  }
  return ready.status === "False" && startedAt + config.initialReadinessDelayMs > changedAt
}

const groupsOf = (workload: Workload, given: PodMetrics, resource: string): Groups => {
  const metrics = new Map(given)
  const unready: Array<string> = []
  const missing: Array<string> = []
  let ready = 0
  for (const pod of workload.pods) {
    const { name = "" } = pod.metadata
    const metric = given.get(name)
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === "Failed") metrics.delete(name)
    else if (pod.status?.phase === "Pending" || (metric && resource === "cpu" && isStarting(pod, metric, workload))) {
      metrics.delete(name)
      unready.push(name)
    } else if (metric === undefined) missing.push(name)
    else ready++
  }
  return { ready, unready, missing, metrics }
}

const noPods = "no pods returned by selector while calculating replica count"

interface Use {
  /** Of the target. */
  readonly ratio: number
}

/** A number of replicas, and the use that it was made from. */
export interface Proposal<U> {
  readonly replicas: number
  readonly use: U
}

/**
 * Proposes the number of replicas by metrics of pods. Those without a metric count such that they slow the change down:
 * with all that they may use when scaling down, with nothing when scaling up.
 */
const propose = <U extends Use>(
  workload: Workload,
  { metrics, missing, ready, unready }: Groups,
  useOf: (metrics: PodMetrics) => Result.Result<U, string>,
  assumed: (pod: string) => number
): Result.Result<Proposal<U>, string> => {
  const { specReplicas, tolerances } = workload
  if (metrics.size === 0) return Result.fail("did not receive metrics for targeted pods (pods might be unready)")
  const first = useOf(metrics)
  if (Result.isFailure(first)) return Result.fail(first.failure)
  const use = first.success
  const answer = (replicas: number) => Result.succeed({ replicas, use })
  const countsUnready = unready.length > 0 && use.ratio > 1
  if (!countsUnready && missing.length === 0) {
    return answer(isWithin(tolerances, use.ratio) ? specReplicas : toInt32(Math.ceil(use.ratio * ready)))
  }
  const set = (pods: ReadonlyArray<string>, value: (pod: string) => number) => {
    for (const pod of pods) metrics.set(pod, { value: value(pod), timestamp: 0, windowMs: 0 })
  }
  const nothing = () => 0
  if (use.ratio < 1) set(missing, assumed)
  else if (use.ratio > 1) set(missing, nothing)
  if (countsUnready) set(unready, nothing)
  const second = useOf(metrics)
  if (Result.isFailure(second)) return Result.fail(second.failure)
  const { ratio } = second.success
  const turns = (use.ratio < 1 && ratio > 1) || (use.ratio > 1 && ratio < 1)
  if (isWithin(tolerances, ratio) || turns) return answer(specReplicas)
  const replicas = toInt32(Math.ceil(ratio * metrics.size))
  const contradicts = (ratio < 1 && replicas > specReplicas) || (ratio > 1 && replicas < specReplicas)
  return answer(contradicts ? specReplicas : replicas)
}

/** Returns the request of a pod for a resource in thousandths, or why that is unknown. Upstream: calculateRequests. */
const requestOf = (pod: Pod, resource: string, container: string): Result.Result<number, string> => {
  const { name = "" } = pod.metadata
  const podLevel = pod.spec.resources?.requests ?? {}
  if (
    container === "" &&
    Object.keys(podLevel).some((key) => key === "cpu" || key === "memory" || key.startsWith("hugepages-"))
  ) {
    const request = podRequests(pod)[resource]
    return request === undefined
      ? Result.fail(`missing pod-level request for ${resource} in Pod ${name}`)
      : Result.succeed(milliValue(request))
  }
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always")
  const all = [...pod.spec.containers, ...sidecars]
  const counted = container === "" ? all : all.filter((one) => one.name === container).slice(0, 1)
  if (container !== "" && counted.length === 0) return Result.fail(`container ${container} not found in Pod ${name}`)
  let sum = 0
  for (const { name: containerName, resources } of counted) {
    const request = resources?.requests?.[resource]
    if (request === undefined) {
      return Result.fail(`missing request for ${resource} in container ${containerName} of Pod ${name}`)
    }
    sum += milliValue(request)
  }
  return Result.succeed(sum)
}

interface Utilization extends Use {
  /** In percent of the requests. */
  readonly utilization: number
  /** The average of the pods, in thousandths. */
  readonly average: number
}

/** Proposes replicas for a target in percent of the requests. Upstream: GetResourceReplicas. */
export const byUtilization = (
  workload: Workload,
  given: PodMetrics,
  target: number,
  resource: string,
  container: string
): Result.Result<Proposal<Utilization>, string> => {
  if (workload.pods.length === 0) return Result.fail(noPods)
  const groups = groupsOf(workload, given, resource)
  if (groups.metrics.size === 0)
    return propose(
      workload,
      groups,
      () => Result.fail(""),
      () => 0
    )
  const requests = new Map<string, number>()
  for (const pod of workload.pods) {
    const request = requestOf(pod, resource, container)
    if (Result.isFailure(request)) return Result.fail(request.failure)
    requests.set(pod.metadata.name ?? "", request.success)
  }
  const useOf = (metrics: PodMetrics): Result.Result<Utilization, string> => {
    const known = [...metrics].filter(([pod]) => requests.has(pod))
    const used = known.reduce((sum, [, { value }]) => sum + value, 0)
    const requested = known.reduce((sum, [pod]) => sum + (requests.get(pod) ?? 0), 0)
    if (requested === 0) return Result.fail("no metrics returned matched known pods")
    const utilization = toInt32(Math.trunc((used * 100) / requested))
    return Result.succeed({ ratio: utilization / target, utilization, average: Math.trunc(used / known.length) })
  }
  return propose(workload, groups, useOf, (pod) => Math.trunc(((requests.get(pod) ?? 0) * Math.max(100, target)) / 100))
}

interface Average extends Use {
  readonly average: number
}

/** Proposes replicas for a target of the average of the pods, in thousandths. Upstream: calcPlainMetricReplicas. */
export const byAverage = (
  workload: Workload,
  given: PodMetrics,
  target: number,
  resource: string
): Result.Result<Proposal<Average>, string> => {
  if (workload.pods.length === 0) return Result.fail(noPods)
  const useOf = (metrics: PodMetrics): Result.Result<Average, string> => {
    const sum = [...metrics.values()].reduce((total, { value }) => total + value, 0)
    const average = Math.trunc(sum / metrics.size)
    return Result.succeed({ ratio: average / target, average })
  }
  return propose(workload, groupsOf(workload, given, resource), useOf, () => target)
}

const isReady = ({ status }: Pod): boolean =>
  status?.phase === "Running" &&
  status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

/** Proposes replicas for a target of one value for all pods, in thousandths. Upstream: getUsageRatioReplicaCount. */
export const byValue = (
  { pods, specReplicas, tolerances }: Workload,
  use: number,
  target: number
): Result.Result<number, string> => {
  const ratio = use / target
  if (specReplicas === 0) return Result.succeed(toInt32(Math.ceil(ratio)))
  if (isWithin(tolerances, ratio)) return Result.succeed(specReplicas)
  if (pods.length === 0) return Result.fail(`unable to calculate ready pods: ${noPods}`)
  return Result.succeed(Math.min(Math.ceil(ratio * pods.filter(isReady).length), 2 ** 31 - 1))
}

/** Proposes replicas for a target of the value for each pod. Upstream: GetObjectPerPodMetricReplicas. */
export const byValuePerPod = (
  { statusReplicas, tolerances }: Workload,
  use: number,
  target: number
): Proposal<number> => {
  const isKept = isWithin(tolerances, use / (target * statusReplicas))
  const replicas = isKept ? statusReplicas : Math.min(Math.ceil(use / target), 2 ** 31 - 1)
  return { replicas, use: Math.ceil(use / statusReplicas) }
}
