import { canonicalQuantity, type ResourceList } from "@rollcall/api"
import { type PressureKind, recordNodeStatusEvents } from "@rollcall/kubelet"
import {
  type BackOffRecord,
  beginLeaseSync,
  beginRegistration,
  beginStatusPass,
  containerShouldRestart,
  containersReadyCondition,
  decideRestart,
  effectiveGrace,
  initializedCondition,
  type LeaseStep,
  leaseAnswered,
  leaseOwnerRead,
  leaseSlept,
  nodeStatusChanged,
  noReports,
  type Outcome,
  podPhase,
  podReadyCondition,
  type RegistrationStep,
  type ReportHistory,
  reconcileNode,
  registrationAnswered,
  registrationSlept,
  reportedImages,
  type StatusPassStep,
  setPressure,
  setReady,
  statusAttemptFailed,
  statusComputed,
  statusPatched,
  versionInfo
} from "@rollcall/kubelet/rules"
import type { Adapters, Json } from "../Adapter.ts"

interface ModelLease {
  readonly ownerSet: boolean
}

const leaseSync = (given: Json): Json => {
  const responses: Array<Outcome> = [...given.responses]
  const lookups: Array<string> = [...(given.nodeLookups ?? [])]
  const calls: Array<Json> = []
  const sleepsSeconds: Array<number> = []
  let heartbeatFailureCallbacks = 0
  const hasOwner = (lease: ModelLease) => lease.ownerSet
  const call = (verb: string): Outcome => {
    const outcome = responses.shift() ?? "ok"
    calls.push({ verb, outcome })
    return outcome
  }
  const next = ({ action, state }: LeaseStep<ModelLease>): LeaseStep<ModelLease> | undefined => {
    switch (action.type) {
      case "end":
        return undefined
      case "sleep":
        sleepsSeconds.push(action.ms / 1000)
        return leaseSlept(state)
      case "getOwner":
        return leaseOwnerRead(state, (lookups.shift() ?? "ok") === "ok", hasOwner)
      case "get":
        return leaseAnswered(state, call("get"), { ownerSet: given.serverOwnerSet ?? true }, hasOwner)
      default:
        return leaseAnswered(state, call(action.type), { ownerSet: true }, hasOwner)
    }
  }
  let step = beginLeaseSync<ModelLease>(given.cachedLease ?? undefined, hasOwner)
  for (let following: typeof step | undefined = step; following !== undefined; following = next(step)) {
    step = following
    if (step.heartbeatFailure) heartbeatFailureCallbacks++
  }
  const { cached } = step.state
  return {
    calls,
    sleepsSeconds,
    heartbeatFailureCallbacks,
    hasCachedLease: cached !== undefined,
    ownerReferenceSet: cached?.ownerSet ?? false
  }
}

const registerAttempts = (given: Json): Json => {
  const responses: Array<Outcome> = [...given.responses]
  const calls: Array<Json> = []
  const sleepsSeconds: Array<number> = []
  const options = { getOnExistsOnly: given.getOnExistsOnly ?? false }
  let step: RegistrationStep = beginRegistration
  while (step.action.type !== "registered" && (responses.length > 0 || step.action.type === "sleep")) {
    const { action, state } = step
    if (action.type === "sleep") {
      if (responses.length === 0) break
      sleepsSeconds.push(action.ms / 1000)
      step = registrationSlept(state)
      continue
    }
    const outcome = responses.shift() ?? "error"
    calls.push({ verb: action.type, outcome })
    step = registrationAnswered(state, outcome, given.needsReconcile ?? false, options)
  }
  return { calls, sleepsSeconds, registered: step.action.type === "registered" }
}

const statusUpdate = (given: Json, when: ReadonlyArray<Json>): Json => {
  const frequencyMs = given.reportFrequencySeconds * 1000
  let history: ReportHistory = noReports
  const steps = when.map(({ at, changed, patchOutcomes, random, readOutcomes }) => {
    const now = at * 1000
    const draws: Array<number> = [...(random ?? [])]
    const reads: Array<string> = [...(readOutcomes ?? [])]
    const patches: Array<string> = [...(patchOutcomes ?? [])]
    const calls: Array<string> = []
    let heartbeatFailureCallbacks = 0
    let step: StatusPassStep = beginStatusPass(history)
    while (step.action.type !== "end") {
      const { action, state } = step
      const patching = action.type === "patch"
      calls.push(patching ? "patch" : action.type === "readCache" ? "cacheRead" : "apiRead")
      const outcome = (patching ? patches : reads).shift() ?? "ok"
      if (outcome !== "ok") step = statusAttemptFailed(state)
      else if (patching) step = statusPatched(state, now)
      else step = statusComputed(state, changed, now, frequencyMs, () => draws.shift() ?? 0.5)
      if (step.heartbeatFailure) heartbeatFailureCallbacks++
    }
    history = step.state.history
    return {
      calls,
      patched: step.action.patched,
      failed: step.action.failed,
      heartbeatFailureCallbacks,
      delaySeconds: history.delayMs / 1000
    }
  })
  return { steps }
}

/** Returns quantities in the API's canonical form. */
const canonical = (resources: ResourceList | undefined): Json =>
  Object.fromEntries(Object.entries(resources ?? {}).map(([name, amount]) => [name, canonicalQuantity(amount)]))

const registerReconcile = (given: Json): Json => {
  const { needsUpdate, node } = reconcileNode(given.initial, given.existing, given.devicesWereReset)
  return {
    annotations: node.metadata.annotations,
    labels: node.metadata.labels,
    capacity: canonical(node.status?.capacity),
    allocatable: canonical(node.status?.allocatable),
    needsUpdate
  }
}

/** Returns the Events that a kubelet records for these reasons, as `Type Reason`. */
const recordedEvents = (reasons: ReadonlyArray<string>): Json => {
  const events: Array<string> = []
  const recorder = {
    event: (_about: Json, type: string, reason: string) => {
      events.push(`${type} ${reason}`)
    }
  }
  recordNodeStatusEvents(recorder, "n1", reasons)
  return events
}

const ready = (given: Json): Json => {
  const { conditions, events } = setReady(
    given.node.status.conditions ?? [],
    {
      runtimeErrors: given.runtimeErrors ?? [],
      networkErrors: given.networkErrors ?? [],
      storageErrors: given.storageErrors ?? [],
      shutdownError: given.shutdownError,
      softRequirements: given.softRequirements
    },
    given.node.status.capacity ?? {},
    given.localStorageCapacityIsolation,
    given.now
  )
  return { conditions, events: recordedEvents(events) }
}

const pressure = (given: Json): Json => {
  const kind: PressureKind = given.kind
  const { conditions, events } = setPressure(given.node.status.conditions ?? [], kind, given.underPressure, given.now)
  return { conditions, events: recordedEvents(events) }
}

const podConditions = (given: Json): Json => {
  const { spec, status } = given.pod
  const statuses = given.containerStatuses ?? undefined
  return {
    Initialized: initializedCondition(spec, statuses, given.phase),
    ContainersReady: containersReadyCondition(spec, statuses, given.phase),
    Ready: podReadyCondition(spec, status?.conditions ?? [], statuses, given.phase)
  }
}

const crashLoop = (given: Json, when: ReadonlyArray<Json>): Json => {
  const limits = { initialMs: given.initialSeconds * 1000, maxMs: given.maxSeconds * 1000 }
  let record: BackOffRecord | undefined
  const steps = when.map(({ at, finishedAt }) => {
    const decision = decideRestart(record, finishedAt * 1000, at * 1000, limits)
    if (!decision.restart) {
      const { backoffMs, startNotBeforeMs } = decision
      return { restart: false, backoffSeconds: backoffMs / 1000, startNotBefore: startNotBeforeMs / 1000 }
    }
    record = decision.record
    return { restart: true, nextBackoffSeconds: record.backoffMs / 1000 }
  })
  return { steps }
}

const grace = (given: Json): Json => {
  const { seconds, shortened } = effectiveGrace({
    previousSeconds: given.previousGrace,
    deletionSeconds: given.deletionGracePeriodSeconds ?? undefined,
    overrideSeconds: given.overrideSeconds ?? undefined,
    specSeconds: given.terminationGracePeriodSeconds ?? undefined
  })
  return { gracePeriodSeconds: seconds, shortened }
}

export const kubeletAdapters: Adapters = {
  "kubelet/lease-sync": ({ given }) => leaseSync(given),
  "kubelet/register-attempts": ({ given }) => registerAttempts(given),
  "kubelet/register-reconcile": ({ given }) => registerReconcile(given),
  "kubelet/status-update": ({ given, when }) => statusUpdate(given, when),
  "kubelet/status-changed": ({ given }) => ({ changed: nodeStatusChanged(given.original, given.updated) }),
  "kubelet/condition-ready": ({ given }) => ready(given),
  "kubelet/condition-pressure": ({ given }) => pressure(given),
  "kubelet/node-version": ({ given }) => ({
    nodeInfo: versionInfo({
      kernelVersion: given.kernelVersion,
      osImage: given.osImage,
      runtimeType: given.runtimeType,
      runtimeVersion: given.runtimeError === undefined ? given.runtimeVersion : undefined,
      kubeletVersion: "v1.36.2"
    })
  }),
  "kubelet/node-images": ({ given }) => ({ images: reportedImages(given.images, given.maxImages) }),
  "kubelet/pod-phase": ({ given }) => ({
    phase: podPhase(
      given.pod,
      [...given.containerStatuses, ...given.initContainerStatuses],
      given.podIsTerminal,
      given.hasInitialized
    )
  }),
  "kubelet/pod-conditions": ({ given }) => podConditions(given),
  "kubelet/container-restart": ({ given }) => ({
    restart: containerShouldRestart(given.container, given.podRestartPolicy, given.exitCode)
  }),
  "kubelet/crashloop-backoff": ({ given, when }) => crashLoop(given, when),
  "kubelet/termination-grace": ({ given }) => grace(given)
}
