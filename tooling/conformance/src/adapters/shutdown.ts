import { setReady } from "@rollcall/kubelet/rules"
import { logindOverrideText, terminatedStatus } from "@rollcall/shutdown"
import {
  delayRequested,
  groupByPriority,
  migrateConfig,
  shutdownBuckets,
  validateShutdownConfig
} from "@rollcall/shutdown/rules"
import type { Adapters, Json } from "../Adapter.ts"
import { configOf, type RunningManager, runManager } from "./shutdown/runManager.ts"

/** A virtual time after which no phase, pause or reconnection of a vector is pending. */
const SETTLED_SECONDS = 100_000
const NOW = "2026-01-01T00:00:00Z"

const groupPods = (given: Json): Json => ({
  groups: groupByPriority(
    given.buckets,
    given.pods.map(({ name, priority }: Json) => ({
      metadata: { name },
      spec: priority === null ? {} : { priority }
    }))
  ).map(({ bucket, pods }) => ({ ...bucket, pods: pods.map(({ metadata }) => metadata.name) }))
})

const inhibitDelay = (given: Json): Json => {
  const { logind, manager, startError, time, trace } = runManager(configOf(given.config, given.featureGates), [], {
    inhibitDelaySeconds: given.inhibitDelayMaxSec,
    afterReload: given.afterReload
  })
  let endedAt = 0
  const ended = () => startError() !== undefined || trace.length > 0
  time.runUntil(0)
  while (!ended() && Number.isFinite(time.nextAt())) {
    time.runUntil(time.nextAt())
    endedAt = time.timers.now()
  }
  const requestedDelay = logind.overrides().at(-1)
  return {
    manager: manager.active ? "active" : "stub",
    propertyReads: logind.delayReadCount(),
    overrideFile: requestedDelay === undefined ? null : logindOverrideText(requestedDelay),
    reload: requestedDelay !== undefined,
    lockTaken: logind.locksHeld() > 0,
    error: startError() ?? null,
    ...(requestedDelay === undefined ? {} : { waited: endedAt / 1000 })
  }
}

const phasesOf = ({ trace }: RunningManager): Json => {
  const ends = trace.filter(({ type }) => type === "phaseEnded")
  return trace
    .filter((event) => event.type === "phaseStarted")
    .map(({ at, graceSeconds, pods, priority }, index) => ({
      priority,
      shutdownGracePeriodSeconds: graceSeconds,
      pods: pods.map(({ pod }) => pod.metadata.name),
      start: at,
      end: ends[index]?.at
    }))
}

const statusPatch = ({ pod }: RunningManager["node"]["pods"][number]): Json => {
  const { conditions = [], ...status } = terminatedStatus(pod.status ?? {}, NOW)
  return { ...status, conditions: conditions.map(({ lastTransitionTime: _, ...condition }) => condition) }
}

const timeline = (given: Json): Json => {
  const config = configOf(given.config)
  const running = runManager(config, given.pods)
  const { logind, manager, node, time, trace } = running
  if (!manager.active) return { active: false }
  time.runUntil(0)
  logind.emit(true)
  time.runUntil(SETTLED_SECONDS * 1000)
  const killedPods = node.pods.filter(({ kill }) => kill !== undefined)
  const forKilledPods = (what: (pod: (typeof killedPods)[number]) => Json): Json =>
    Object.fromEntries(killedPods.map((pod) => [pod.name, what(pod)]))
  return {
    active: true,
    delayRequested: delayRequested(shutdownBuckets(config)),
    phases: phasesOf(running),
    gracePeriodOverride: forKilledPods(({ kill }) => kill?.graceSeconds),
    killRequestedAt: forKilledPods(({ killedAt }) => killedAt),
    lockReleasedAt: trace.find(({ type }) => type === "finished")?.at,
    podStatusPatch: forKilledPods(statusPatch)
  }
}

const readyCondition = ({ manager }: RunningManager): Json => {
  const readiness = {
    runtimeErrors: [],
    networkErrors: [],
    storageErrors: [],
    softRequirements: undefined,
    shutdownError: manager.shutdownStatus()
  }
  const capacity = { cpu: "1", memory: "1Gi", pods: "1", "ephemeral-storage": "1Gi" }
  const { conditions } = setReady([], readiness, capacity, true, NOW)
  return conditions.map(({ message, reason, status }) => ({ status, reason, message }))[0]
}

const signals = (given: Json, when: ReadonlyArray<Json>): Json => {
  const running = runManager(configOf(given.config), given.pods, { inhibitDelaySeconds: given.inhibitDelayMaxSec })
  const { logind, manager, node, time } = running
  const observations: Array<Json> = []
  for (const { at, do: action, reconnectFails, value } of when) {
    time.runUntil(at * 1000)
    if (action === "prepareForShutdown") logind.emit(value)
    else if (action === "busClosed") logind.stopBus(reconnectFails ?? 0)
    else if (action === "lockHeld") observations.push({ at, lockHeld: logind.locksHeld() > 0 })
    else if (action === "readyCondition") observations.push({ at, ready: readyCondition(running) })
    else {
      const refusal = manager.admit()
      observations.push({ at, admit: refusal === undefined ? { admit: true } : { admit: false, ...refusal } })
    }
    time.runUntil(at * 1000)
  }
  time.runUntil(SETTLED_SECONDS * 1000)
  const cancelled = when.some(({ do: action, value }) => action === "prepareForShutdown" && value === false)
  return {
    observations,
    events: node.events,
    inhibitCalls: logind.locksTaken(),
    lockHeldAtEnd: logind.locksHeld() > 0,
    ...(cancelled && node.pods.length > 0
      ? { podsTerminated: node.pods.filter((pod) => node.hasStopped(pod)).map(({ name }) => name) }
      : {})
  }
}

export const shutdownAdapters: Adapters = {
  "shutdown/config-validation": ({ given }) => ({
    errors: validateShutdownConfig(configOf(given, given.featureGates))
  }),
  "shutdown/group-by-priority": ({ given }) => groupPods(given),
  "shutdown/inhibit-delay": ({ given }) => inhibitDelay(given),
  "shutdown/migrate-config": ({ given }) => {
    const { shutdownGracePeriodCriticalPodsMs: criticalMs, shutdownGracePeriodMs: totalMs } = configOf(given)
    const buckets = migrateConfig(totalMs, criticalMs)
    return { buckets: buckets.length === 0 ? null : buckets }
  },
  "shutdown/signals": ({ given, when }) => signals(given, when),
  "shutdown/timeline": ({ given }) => timeline(given)
}
