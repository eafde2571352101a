import {
  type AutoscalerStatus,
  approximateValue,
  type HorizontalPodAutoscaler,
  type MetricSpec,
  type MetricStatus,
  type Pod,
  parseLabelSelector,
  type Selector
} from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Condition, Draft } from "./Draft.ts"
import type { Bounds, History } from "./History.ts"
import { faultCondition, type MetricFault, type MetricProposal, metricProposal } from "./metricProposal.ts"
import type { AutoscalerConfig, MetricAnswer } from "./metrics.ts"
import { behaviorRules, normalized, type SetCondition } from "./normalized.ts"
import type { Tolerances } from "./podMetrics.ts"
import { leavesZero, type ZeroRules, zeroCondition, zeroRulesOf } from "./scaleToZero.ts"

/** The scale of a workload. */
export interface TargetScale {
  readonly replicas: number
  readonly statusReplicas: number
  /** The labels of its pods, as text. */
  readonly selector: string
}

/** What a reconcile calls. Errors are texts. */
export interface AutoscalerCalls {
  readonly getScale: Effect.Effect<
    TargetScale,
    { readonly error: string; readonly detail: string; readonly isSpecFault: boolean }
  >
  readonly setReplicas: (replicas: number) => Effect.Effect<void, string>
  readonly metric: (spec: MetricSpec, selector: Selector) => Effect.Effect<MetricAnswer>
  readonly pods: (selector: Selector) => ReadonlyArray<Pod>
  /** Returns why the pods are not this autoscaler's alone, or undefined. */
  readonly ambiguity: (selector: string, pods: ReadonlyArray<Pod>) => string | undefined
  readonly event: (type: "Normal" | "Warning", reason: string, message: string) => void
  /** Called for each metric when it is computed. */
  readonly computed: (spec: MetricSpec, beganMs: number, action: ScaleAction, fault: MetricFault | undefined) => void
  readonly now: () => number
}

/** What a reconcile leaves. */
export interface Reconciled {
  readonly status: AutoscalerStatus
  readonly error: string | undefined
  /** What it did, for metrics: whether it scaled, and whose fault an error is. */
  readonly action: ScaleAction
  readonly isSpecFault: boolean
}

/** The label `action` of the controller's metrics. */
export type ScaleAction = "scale_up" | "scale_down" | "none"

export const actionOf = (before: number, after: number): ScaleAction =>
  after > before ? "scale_up" : after < before ? "scale_down" : "none"

const tolerancesOf = ({ spec }: HorizontalPodAutoscaler, { tolerance }: AutoscalerConfig): Tolerances => ({
  down:
    spec.behavior?.scaleDown?.tolerance === undefined ? tolerance : approximateValue(spec.behavior.scaleDown.tolerance),
  up: spec.behavior?.scaleUp?.tolerance === undefined ? tolerance : approximateValue(spec.behavior.scaleUp.tolerance)
})

interface Computed {
  readonly replicas: number
  readonly name: string
  readonly statuses: ReadonlyArray<MetricStatus>
  /** Why some metrics proposed nothing. */
  readonly error: string | undefined
}

interface NotComputed {
  readonly statuses: ReadonlyArray<MetricStatus> | null
  readonly error: string
}

const inactive = (reason: string, message: string): Condition => ({
  type: "ScalingActive",
  status: "False",
  reason,
  message
})

/** Upstream: validateAndParseSelector. */
const selectorOf = (
  { selector }: TargetScale,
  calls: AutoscalerCalls,
  draft: Draft
): Result.Result<{ readonly selector: Selector; readonly pods: ReadonlyArray<Pod> }, string> => {
  if (selector === "") {
    calls.event("Warning", "SelectorRequired", "selector is required")
    draft.condition(inactive("InvalidSelector", "the HPA target's scale is missing a selector"))
    return Result.fail("selector is required")
  }
  const parsed = parseLabelSelector(selector)
  if (Result.isFailure(parsed)) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${parsed.failure.message}`
    calls.event("Warning", "InvalidSelector", message)
    draft.condition(inactive("InvalidSelector", message))
    return Result.fail(message)
  }
  const pods = calls.pods(parsed.success)
  const ambiguity = calls.ambiguity(selector, pods)
  if (ambiguity === undefined) return Result.succeed({ selector: parsed.success, pods })
  calls.event("Warning", "AmbiguousSelector", ambiguity)
  draft.condition(inactive("AmbiguousSelector", ambiguity))
  return Result.fail(ambiguity)
}

/** Returns what all metrics together propose. Upstream: computeReplicasForMetrics. */
const compute = Effect.fnUntraced(function* (
  autoscaler: HorizontalPodAutoscaler,
  scale: TargetScale,
  config: AutoscalerConfig,
  now: number,
  calls: AutoscalerCalls,
  draft: Draft
): Effect.fn.Return<Result.Result<Computed, NotComputed>> {
  const found = selectorOf(scale, calls, draft)
  if (Result.isFailure(found)) return Result.fail({ statuses: null, error: found.failure })
  const { namespace = "" } = autoscaler.metadata
  const workload = {
    specReplicas: scale.replicas,
    statusReplicas: scale.statusReplicas,
    pods: found.success.pods,
    tolerances: tolerancesOf(autoscaler, config),
    now,
    config
  }
  const specs = autoscaler.spec.metrics ?? []
  const statuses: Array<MetricStatus> = []
  const faults: Array<MetricFault> = []
  let best: MetricProposal | undefined
  for (const spec of specs) {
    const beganMs = calls.now()
    const answer = yield* calls.metric(spec, found.success.selector)
    const judged = metricProposal(spec, answer, workload, namespace)
    if (Result.isSuccess(judged)) {
      const proposal = judged.success
      calls.computed(spec, beganMs, actionOf(draft.before.currentReplicas ?? 0, proposal.replicas), undefined)
      statuses.push(proposal.status)
      if (best === undefined || best.replicas === 0 || proposal.replicas > best.replicas) best = proposal
    } else {
      calls.computed(spec, beganMs, "none", judged.failure)
      statuses.push({ type: "" })
      calls.event("Warning", judged.failure.reason, judged.failure.detail)
      faults.push(judged.failure)
    }
  }
  const { name = "", replicas = 0 } = best ?? {}
  const [first] = faults
  const error =
    first && `invalid metrics (${faults.length} invalid out of ${specs.length}), first error is: ${first.error}`
  if (faults.length >= specs.length || (faults.length > 0 && replicas < scale.replicas)) {
    // Without metrics there is no fault either; upstream writes an empty condition.
    draft.condition(first === undefined ? emptyCondition : faultCondition(first))
    if (error !== undefined) return Result.fail({ statuses, error })
    return Result.succeed({ replicas: -1, name: "", statuses, error })
  }
  const message = `the HPA was able to successfully calculate a replica count from ${name}`
  draft.condition({ type: "ScalingActive", status: "True", reason: "ValidMetricFound", message })
  return Result.succeed({ replicas, name, statuses, error })
})

const emptyCondition = { type: "", status: "" as "True", reason: "", message: "" }

/** What the workload is to be scaled to, and why. */
interface Wanted {
  readonly replicas: number
  readonly rescale: boolean
  readonly reason: string
  readonly statuses: ReadonlyArray<MetricStatus> | null
  readonly error: string | undefined
}

const fixed = (replicas: number, reason: string): Wanted => ({
  replicas,
  rescale: true,
  reason,
  statuses: null,
  error: undefined
})

const belowMin = "Current number of replicas below Spec.MinReplicas"

/** Returns the size that needs no metrics: the workload is switched off, or out of bounds. */
const withoutMetrics = (bounds: Bounds, zero: ZeroRules, draft: Draft): Wanted | undefined => {
  const { current, max, min } = bounds
  if (current === 0) {
    if (leavesZero(zero, bounds)) return undefined
    const message = "scaling is disabled since the replica count of the target is zero"
    draft.condition(inactive("ScalingDisabled", message))
    if (!zero.isEnabled) draft.without("ScaledToZero")
    return { ...fixed(0, ""), rescale: false }
  }
  if (current > max) return fixed(max, "Current number of replicas above Spec.MaxReplicas")
  return current < min ? fixed(min, belowMin) : undefined
}

/** Returns what the metrics of an autoscaler want, or the error of all of them. */
const byMetrics = Effect.fnUntraced(function* (
  autoscaler: HorizontalPodAutoscaler,
  scale: TargetScale,
  bounds: Bounds,
  zero: ZeroRules,
  history: History,
  config: AutoscalerConfig,
  now: number,
  calls: AutoscalerCalls,
  draft: Draft
): Effect.fn.Return<Result.Result<Wanted, NotComputed>> {
  const computed = yield* compute(autoscaler, scale, config, now, calls, draft)
  if (Result.isFailure(computed)) return Result.fail(computed.failure)
  const { current, min } = bounds
  const { error, name, replicas, statuses } = computed.success
  const proposed = Math.max(replicas, 0)
  const set: SetCondition = (condition) => draft.condition(condition)
  const desired = normalized(autoscaler, proposed, bounds, history, now, config, set)
  const reason = proposed > current ? `${name} above target` : proposed < current ? "All metrics below target" : ""
  // The minimum was raised while the workload had no replicas.
  const isBelow = current === 0 && min !== 0 && zero.wasScaledToZero && desired < min
  const wanted = isBelow ? { replicas: min, reason: reason === "" ? belowMin : reason } : { replicas: desired, reason }
  return Result.succeed({ ...wanted, rescale: wanted.replicas !== current, statuses, error })
})

/** Compares the target's scale with what its metrics propose, and scales it. Upstream: reconcileAutoscaler. */
export const reconcileAutoscaler = Effect.fnUntraced(function* (
  autoscaler: HorizontalPodAutoscaler,
  history: History,
  config: AutoscalerConfig,
  now: number,
  calls: AutoscalerCalls
): Effect.fn.Return<Reconciled> {
  const draft = new Draft(autoscaler, now)
  const { maxReplicas, minReplicas = 1, scaleTargetRef } = autoscaler.spec
  const reference = `${scaleTargetRef.kind}/${autoscaler.metadata.namespace}/${scaleTargetRef.name}`
  const able = (status: "True" | "False", reason: string, message: string) =>
    draft.condition({ type: "AbleToScale", status, reason, message })
  const unscaled = (status: AutoscalerStatus, error: string | undefined, isSpecFault = false): Reconciled => ({
    status,
    error,
    action: "none",
    isSpecFault
  })
  const scaled = yield* Effect.result(calls.getScale)
  if (Result.isFailure(scaled)) {
    const { detail, error, isSpecFault } = scaled.failure
    calls.event("Warning", "FailedGetScale", detail)
    able("False", "FailedGetScale", `the HPA controller was unable to get the target's current scale: ${detail}`)
    return unscaled(draft.withConditions, error, isSpecFault)
  }
  const scale = scaled.success
  able("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
  const current = scale.replicas
  history.begin(current, now)
  const bounds = { current, min: minReplicas, max: maxReplicas }
  const zero = zeroRulesOf(autoscaler, config.scalesToZero)
  const fixedSize = withoutMetrics(bounds, zero, draft)
  const wanted =
    fixedSize === undefined
      ? yield* byMetrics(autoscaler, scale, bounds, zero, history, config, now, calls, draft)
      : Result.succeed(fixedSize)
  const failedStatus = (statuses: Wanted["statuses"]) =>
    draft.status(current, draft.before.desiredReplicas ?? 0, statuses, false)
  if (Result.isFailure(wanted)) {
    const { error, statuses } = wanted.failure
    calls.event("Warning", "FailedComputeMetricsReplicas", error)
    const what = "failed to compute desired number of replicas based on listed metrics for"
    return unscaled(failedStatus(statuses), `${what} ${reference}: ${error}`)
  }
  const { error, reason, replicas, rescale, statuses } = wanted.success
  if (!rescale) return unscaled(draft.status(current, current, statuses, false), error)
  const written = yield* Effect.result(calls.setReplicas(replicas))
  if (Result.isFailure(written)) {
    const why = written.failure
    calls.event("Warning", "FailedRescale", `New size: ${replicas}; reason: ${reason}; error: ${why}`)
    able("False", "FailedUpdateScale", `the HPA controller was unable to update the target scale: ${why}`)
    return unscaled(failedStatus(statuses), `failed to rescale ${reference}: ${why}`)
  }
  able("True", "SucceededRescale", `the HPA controller was able to update the target scale to ${replicas}`)
  calls.event("Normal", "SuccessfulRescale", `New size: ${replicas}; reason: ${reason}`)
  const rules = behaviorRules(autoscaler, config)
  if (rules !== undefined) history.changed(current, replicas, rules, now)
  const condition = zeroCondition(zero, bounds, replicas)
  if (condition === undefined) draft.without("ScaledToZero")
  else draft.condition(condition)
  const action = replicas > current ? "scale_up" : "scale_down"
  return { status: draft.status(current, replicas, statuses, true), error, action, isSpecFault: false }
})
