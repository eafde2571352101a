import type { Pod } from "@rollcall/api"
import type { PressureKind } from "../node/Conditions.ts"
import { isCriticalPod } from "../pod/CriticalPod.ts"
import type { HostReadings } from "../runtime/NodeHost.ts"
import { type FilesystemLayout, withContainerFs } from "./containerFs.ts"
import {
  type EvictionSettings,
  type EvictionState,
  graceOver,
  lastObserved,
  newlyMeasured,
  noPressure,
  stillMetSince
} from "./EvictionState.ts"
import { evictionReason } from "./evictionMessage.ts"
import { type LimitSignal, limitExceeded } from "./localLimits.ts"
import { rankPods } from "./rankPods.ts"
import { type Reclaim, reclaimFor } from "./reclaim.ts"
import { type EvictionSignal, isMemorySignal, type StarvedResource, signalFacts } from "./Signals.ts"
import { isHard, type Observations, type Threshold, thresholdsMet } from "./Threshold.ts"

/** The grace period of an immediate eviction. Upstream: immediateEvictionGracePeriodSeconds. */
const IMMEDIATE_GRACE_SECONDS = 1

/** A pod to evict. */
export interface PodEviction {
  readonly pod: Pod
  /** The label of `kubelet_evictions`. */
  readonly signal: EvictionSignal | LimitSignal
  readonly graceSeconds: number
  readonly message: string
  readonly annotations: Readonly<Record<string, string>>
  /** Whether the pod is evicted because of node pressure; false for its own limits. */
  readonly nodePressure: boolean
}

/** What to do about node pressure. */
export interface NodeRelief {
  readonly resource: StarvedResource
  /** The node-level resources to reclaim first, in order. `evictionsOf` then checks whether that sufficed. */
  readonly reclaim: ReadonlyArray<Reclaim>
  /** The pod to evict if reclaiming does not suffice; undefined if there is none. */
  readonly victim: PodEviction | undefined
  /** The age in seconds of the measurements of each signal that was acted on. */
  readonly statsAges: ReadonlyArray<readonly [EvictionSignal, number]>
}

/** The result of one synchronization. */
export interface EvictionPass {
  readonly state: EvictionState
  /** The pods above their own limits. While there are any, node pressure is not handled. */
  readonly overLimits: ReadonlyArray<PodEviction>
  /** Undefined if the node is not under pressure, or if its measurements have not changed. */
  readonly relief: NodeRelief | undefined
}

const NONE: ReadonlyArray<PodEviction> = []

const union = (met: ReadonlyArray<Threshold>, unresolved: ReadonlyArray<Threshold>): ReadonlyArray<Threshold> =>
  unresolved.length === 0 ? met : [...met, ...unresolved.filter((threshold) => !met.includes(threshold))]

const sortedKinds = (observed: EvictionState["observedMs"]): ReadonlyArray<PressureKind> =>
  observed.size === 0 ? noPressure.conditions : Array.from(observed.keys()).sort()

const overLimits = (
  pods: ReadonlyArray<Pod>,
  readings: HostReadings,
  layout: FilesystemLayout
): ReadonlyArray<PodEviction> => {
  let evictions: Array<PodEviction> | undefined
  for (const pod of pods) {
    const usage = readings.podUsage(pod.metadata.uid ?? "")
    const exceeded = usage === undefined ? undefined : limitExceeded(pod, usage, layout.dedicatedImageFs)
    if (exceeded === undefined || isCriticalPod(pod)) continue
    evictions ??= []
    evictions.push({ pod, ...exceeded, graceSeconds: IMMEDIATE_GRACE_SECONDS, annotations: {}, nodePressure: false })
  }
  return evictions ?? NONE
}

/** Returns the grace period in seconds. A soft threshold lets a pod use its own, up to the configured maximum. */
const graceFor = (pod: Pod, threshold: Threshold, maxSeconds: number): number =>
  isHard(threshold)
    ? IMMEDIATE_GRACE_SECONDS
    : Math.min(maxSeconds, Number(pod.spec.terminationGracePeriodSeconds ?? maxSeconds))

const reliefFor = (
  toActOn: ReadonlyArray<Threshold>,
  pods: ReadonlyArray<Pod>,
  readings: HostReadings,
  layout: FilesystemLayout,
  { maxPodGraceSeconds, podLevelResources }: EvictionSettings,
  nowMs: number
): NodeRelief | undefined => {
  const threshold = toActOn[0]
  if (threshold === undefined) return undefined
  const { signal } = threshold
  const { resource } = signalFacts[signal]
  const options = { ...layout, podLevelResources }
  const pod = rankPods(signal, pods, readings.podUsage, options).find((candidate) => !isCriticalPod(candidate))
  const usage = pod === undefined ? undefined : readings.podUsage(pod.metadata.uid ?? "")
  return {
    resource,
    reclaim: reclaimFor(signal, layout),
    victim: pod && {
      pod,
      signal,
      graceSeconds: graceFor(pod, threshold, maxPodGraceSeconds),
      ...evictionReason(resource, pod, usage, toActOn, readings.signals, podLevelResources),
      nodePressure: true
    },
    statsAges: toActOn.map((met) => [met.signal, (nowMs - (readings.signals[met.signal]?.atMs ?? nowMs)) / 1000])
  }
}

const memoryFirst = (thresholds: ReadonlyArray<Threshold>): ReadonlyArray<Threshold> => [
  ...thresholds.filter(({ signal }) => isMemorySignal(signal)),
  ...thresholds.filter(({ signal }) => !isMemorySignal(signal))
]

/**
 * Decides one synchronization of the eviction manager: the new conditions, what to reclaim, and which pods to evict. At
 * most one pod is evicted because of node pressure. Upstream's order of thresholds is partly random; here memory comes
 * first, and then the order of the configuration, hard before soft. Upstream: pkg/kubelet/eviction/eviction_manager.go
 * synchronize.
 */
export const evictionPass = (
  state: EvictionState,
  readings: HostReadings,
  pods: ReadonlyArray<Pod>,
  nowMs: number,
  settings: EvictionSettings
): EvictionPass => {
  const { dedicatedImageFs, signals } = readings
  const layout = { dedicatedImageFs, splitContainers: readings.splitContainers && settings.separateDiskGC }
  const { first, later } =
    state.thresholds === undefined
      ? withContainerFs(settings.thresholds, layout)
      : { first: state.thresholds, later: state.thresholds }
  const met = union(thresholdsMet(first, signals, false), thresholdsMet(state.actedOn, signals, true))
  const metSinceMs = stillMetSince(state.metSinceMs, met, nowMs)
  const observedMs = lastObserved(state.observedMs, met, nowMs, settings.transitionPeriodMs)
  const actedOn = graceOver(metSinceMs, nowMs)
  const next: EvictionState = {
    thresholds: later,
    metSinceMs,
    observedMs,
    conditions: sortedKinds(observedMs),
    actedOn,
    observations: signals
  }
  const exceeding = settings.localStorageCapacityIsolation ? overLimits(pods, readings, layout) : NONE
  if (exceeding.length > 0) return { state: next, overLimits: exceeding, relief: undefined }
  const toActOn = memoryFirst(newlyMeasured(actedOn, signals, state.observations))
  return { state: next, overLimits: NONE, relief: reliefFor(toActOn, pods, readings, layout, settings, nowMs) }
}

/** Whether reclaiming sufficed, so that no threshold plus its minimum reclaim is met any more. */
const reliefSuffices = (state: EvictionState, observations: Observations): boolean =>
  thresholdsMet(state.thresholds ?? [], observations, true).length === 0

/** Returns the Event about the node that a resource is being reclaimed. Upstream: eviction_manager.go synchronize. */
export const thresholdMetEvent = ({ resource }: NodeRelief) =>
  ({ type: "Warning", reason: "EvictionThresholdMet", message: `Attempting to reclaim ${resource}` }) as const

/**
 * Returns the pods to evict after reclaiming: those above their own limits, or else the victim, unless reclaiming
 * sufficed. `measuredAfter` reads the measurements after reclaiming; it is called only if they matter.
 */
export const evictionsOf = (
  { overLimits, relief, state }: EvictionPass,
  measuredAfter: () => Observations
): ReadonlyArray<PodEviction> => {
  if (overLimits.length > 0) return overLimits
  if (relief?.victim === undefined) return NONE
  if (relief.reclaim.length > 0 && reliefSuffices(state, measuredAfter())) return NONE
  return [relief.victim]
}
