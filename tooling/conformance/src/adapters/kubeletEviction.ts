import {
  type Container,
  computeQosClass,
  defaultRelease,
  featureGatesOf,
  formatQuantity,
  type Pod,
  value
} from "@rollcall/api"
import type { HostReadings, PodUsage } from "@rollcall/kubelet"
import {
  type EvictionSettings,
  evictionPass,
  evictionsOf,
  type NodeRelief,
  noPressure,
  type Observations,
  type PodEviction,
  parseThresholds,
  pressureRefusal,
  rankPods,
  type SwapMachine,
  swapLimitOf,
  type Threshold,
  type ThresholdSettings,
  type ThresholdValue,
  thresholdMetEvent,
  thresholdsMet
} from "@rollcall/kubelet/rules"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const settingsOf = (config: Json): ThresholdSettings => ({
  enforceNodeAllocatable: config.enforceNodeAllocatable ?? [],
  evictionHard: config.evictionHard ?? {},
  evictionSoft: config.evictionSoft ?? {},
  evictionSoftGracePeriod: config.evictionSoftGracePeriod ?? {},
  evictionMinimumReclaim: config.evictionMinimumReclaim ?? {}
})

const thresholdsOf = (config: Json): ReadonlyArray<Threshold> => Result.getOrThrow(parseThresholds(settingsOf(config)))

/** Formats a threshold; rounds away the single-precision error of percentages. */
const valueText = (amount: ThresholdValue): string =>
  "quantity" in amount ? formatQuantity(amount.quantity) : `${Number((amount.fraction * 100).toPrecision(6))}%`

const parse = (given: Json): Json => {
  const parsed = parseThresholds(settingsOf(given))
  if (Result.isFailure(parsed)) return { error: parsed.failure.message }
  const thresholds = [...parsed.success].sort((a, b) =>
    a.signal === b.signal ? a.graceMs - b.graceMs : a.signal < b.signal ? -1 : 1
  )
  return {
    thresholds: thresholds.map(({ graceMs, minReclaim, signal, value }) => ({
      signal,
      value: valueText(value),
      ...(graceMs === 0 ? {} : { gracePeriodSeconds: graceMs / 1000 }),
      ...(minReclaim === undefined ? {} : { minReclaim: valueText(minReclaim) })
    }))
  }
}

const observationsOf = (signals: Json, atMs: number): Observations =>
  Object.fromEntries(
    Object.entries<Json>(signals).map(([signal, { available, capacity }]) => [
      signal,
      { available: value(available), capacity: value(capacity), atMs }
    ])
  )

const usageOf = (usage: Json): PodUsage => {
  const volumes: Record<string, { usedBytes?: number; inodesUsed?: number }> = {}
  for (const [name, usedBytes] of Object.entries<number>(usage.volumeBytes ?? {})) volumes[name] = { usedBytes }
  for (const [name, inodesUsed] of Object.entries<number>(usage.volumeInodes ?? {})) {
    volumes[name] = { ...volumes[name], inodesUsed }
  }
  const { containers = [], ephemeralStorageBytes = 0, memoryBytes, processes } = usage
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(processes === undefined ? {} : { processes }),
    ephemeralStorageBytes,
    containers: Object.fromEntries(containers.map(({ name, ...used }: Json) => [name, used])),
    volumes
  }
}

const usageByUid = (pods: ReadonlyArray<Json>): ((uid: string) => PodUsage | undefined) => {
  const byUid = new Map(pods.map(({ pod, usage }) => [pod.metadata.uid, usage && usageOf(usage)]))
  return (uid) => byUid.get(uid)
}

const podsOf = (entries: ReadonlyArray<Json>): ReadonlyArray<Pod> => entries.map(({ pod }) => pod)

const rank = (given: Json): Json => ({
  order: rankPods(given.signal, podsOf(given.pods), usageByUid(given.pods), {
    dedicatedImageFs: given.dedicatedImageFs,
    splitContainers: given.splitContainerFs,
    podLevelResources: true
  }).map(({ metadata }) => metadata.name)
})

const evictionResult = ({ annotations, graceSeconds, message, nodePressure, pod }: PodEviction): Json => ({
  pod: pod.metadata.name,
  gracePeriodSeconds: graceSeconds,
  message,
  ...(Object.keys(annotations).length === 0 ? {} : { eventAnnotations: annotations }),
  disruptionTargetCondition: nodePressure
})

const eventOf = (relief: NodeRelief): string => {
  const { message, reason, type } = thresholdMetEvent(relief)
  return `${type} ${reason} ${message}`
}

const manage = ({ config }: Json, when: ReadonlyArray<Json>): Json => {
  const settings: EvictionSettings = {
    thresholds: thresholdsOf(config),
    maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
    transitionPeriodMs: config.evictionPressureTransitionPeriodSeconds * 1000,
    localStorageCapacityIsolation: config.localStorageCapacityIsolation,
    podLevelResources: true,
    separateDiskGC: true
  }
  let state = noPressure
  const steps = when.map(({ admit, at, pods = [], signals, signalsAfterReclaim, statsTakenAt = at }) => {
    const readings: HostReadings = {
      signals: observationsOf(signals, statsTakenAt * 1000),
      podUsage: usageByUid(pods),
      dedicatedImageFs: config.dedicatedImageFs,
      splitContainers: config.splitContainerFs
    }
    const pass = evictionPass(state, readings, podsOf(pods), at * 1000, settings)
    state = pass.state
    const { conditions } = state
    const { relief } = pass
    return {
      conditions,
      evicted: evictionsOf(pass, () => observationsOf(signalsAfterReclaim ?? signals, at * 1000)).map(evictionResult),
      imageGC: relief?.reclaim.includes("images") ?? false,
      containerGC: relief?.reclaim.includes("containers") ?? false,
      nodeEvents: relief === undefined ? [] : [eventOf(relief)],
      ...(admit === undefined
        ? {}
        : {
            admit: admit.map((pod: Pod) => {
              const refusal = pressureRefusal(conditions, pod)
              return refusal === undefined ? { admit: true } : { admit: false, ...refusal }
            })
          })
    }
  })
  return { steps }
}

const swap = (given: Json): Json => {
  const pod: Pod = given.pod
  const machine: SwapMachine = {
    memoryBytes: given.nodeMemoryBytes,
    swapBytes: given.nodeSwapBytes,
    cgroupVersion: given.cgroupV2 ? 2 : 1,
    swapController: given.swapControllerAvailable
  }
  const config = { swapBehavior: given.swapBehavior, featureGates: featureGatesOf(defaultRelease) }
  const limitOf = (container: Container) => {
    const limit = swapLimitOf(pod, container, machine, config, defaultRelease)
    return {
      container: container.name,
      behavior: limit.behaviour,
      memorySwapMax: limit.memorySwapMax ?? null,
      ...(limit.memorySwapLimitBytes === undefined ? {} : { memorySwapLimitInBytes: limit.memorySwapLimitBytes })
    }
  }
  const { containers, initContainers = [] } = pod.spec
  return { qosClass: computeQosClass(pod), containers: [...containers, ...initContainers].map(limitOf) }
}

export const kubeletEvictionAdapters: Adapters = {
  "kubelet/eviction-parse": ({ given }) => parse(given),
  "kubelet/eviction-threshold-met": ({ given }) => ({
    metSignals: thresholdsMet(thresholdsOf(given), observationsOf(given.observations, 0), given.enforceMinReclaim)
      .map(({ signal }) => signal)
      .sort()
  }),
  "kubelet/eviction-rank": ({ given }) => rank(given),
  "kubelet/eviction-manager": ({ given, when }) => manage(given, when),
  "kubelet/swap-limit": ({ given }) => swap(given)
}
