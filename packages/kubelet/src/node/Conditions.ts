import type { NodeCondition } from "@rollcall/api"

/** Conditions of the kubelet that are True under pressure. OutOfDisk exists in releases before 1.13. */
export type PressureKind = "MemoryPressure" | "DiskPressure" | "PIDPressure" | "OutOfDisk"

/** The changed list of conditions, and the reasons of the Normal Events to record about the change. */
export interface ConditionUpdate {
  readonly conditions: ReadonlyArray<NodeCondition>
  readonly events: ReadonlyArray<string>
}

/** The texts of a condition, and the reason of the Event about it. */
interface Wording {
  readonly reason: string
  readonly message: string
  readonly event: string
}

const wording = (reason: string, message: string, event: string): Wording => ({ reason, message, event })

/** The texts of each condition: first under pressure, then without. */
const wordings: Readonly<Record<PressureKind, readonly [underPressure: Wording, withoutPressure: Wording]>> = {
  MemoryPressure: [
    wording("KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"),
    wording("KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory")
  ],
  DiskPressure: [
    wording("KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"),
    wording("KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure")
  ],
  PIDPressure: [
    wording("KubeletHasInsufficientPID", "kubelet has insufficient PID available", "NodeHasInsufficientPID"),
    wording("KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID")
  ],
  OutOfDisk: [
    wording("KubeletOutOfDisk", "out of disk space", "NodeOutOfDisk"),
    wording("KubeletHasSufficientDisk", "kubelet has sufficient disk space available", "NodeHasSufficientDisk")
  ]
}

const NO_EVENTS: ReadonlyArray<string> = []

/** Replaces the condition at the index, or adds it if the index is negative. */
const put = (
  conditions: ReadonlyArray<NodeCondition>,
  index: number,
  condition: NodeCondition
): ReadonlyArray<NodeCondition> => (index < 0 ? [...conditions, condition] : conditions.with(index, condition))

/**
 * Sets a pressure condition. The heartbeat time is always updated. Status, reason, message and transition time are
 * updated only when the status changes, so that another writer's reason is kept. A new condition counts as changed from
 * Unknown. Upstream: pkg/kubelet/nodestatus/setters.go MemoryPressureCondition and the two similar ones.
 */
export const setPressure = (
  conditions: ReadonlyArray<NodeCondition>,
  kind: PressureKind,
  underPressure: boolean,
  now: string
): ConditionUpdate => {
  const index = conditions.findLastIndex(({ type }) => type === kind)
  const status = underPressure ? "True" : "False"
  const old = conditions[index]
  if (old?.status === status) {
    return { conditions: put(conditions, index, { ...old, lastHeartbeatTime: now }), events: NO_EVENTS }
  }
  const { event, message, reason } = wordings[kind][underPressure ? 0 : 1]
  const condition: NodeCondition = {
    type: kind,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message
  }
  return { conditions: put(conditions, index, condition), events: [event] }
}

/** The inputs of the Ready condition: the errors of each source, none if it is healthy. */
export interface Readiness {
  readonly runtimeErrors: ReadonlyArray<string>
  readonly networkErrors: ReadonlyArray<string>
  readonly storageErrors: ReadonlyArray<string>
  /** Set while the node shuts down. */
  readonly shutdownError: string | undefined
  /** The unmet requirements of the container manager. They add a warning, and do not make the node unready. */
  readonly softRequirements: string | undefined
}

/** Joins errors as a Go aggregate error prints: distinct texts, in brackets if there are several. */
const aggregate = (errors: ReadonlyArray<string>): string => {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(", ")}]`
}

const REQUIRED_CAPACITY = ["cpu", "memory", "pods"] as const

const missingCapacity = (capacity: Readonly<Record<string, unknown>>, localStorage: boolean): ReadonlyArray<string> => {
  const required = localStorage ? [...REQUIRED_CAPACITY, "ephemeral-storage"] : REQUIRED_CAPACITY
  const missing = required.filter((name) => capacity[name] === undefined)
  return missing.length === 0 ? [] : [`missing node capacity for resources: ${missing.join(", ")}`]
}

/**
 * Sets the Ready condition. Reason and message are always updated, the transition time only when the status changes. An
 * Event is due only if the status of an existing condition changes. `localStorage` says whether the kubelet manages
 * ephemeral storage, so that the capacity must contain it. Upstream: pkg/kubelet/nodestatus/setters.go ReadyCondition.
 */
export const setReady = (
  conditions: ReadonlyArray<NodeCondition>,
  readiness: Readiness,
  capacity: Readonly<Record<string, unknown>>,
  localStorage: boolean,
  now: string
): ConditionUpdate => {
  const { networkErrors, runtimeErrors, shutdownError, softRequirements, storageErrors } = readiness
  const errors = [
    ...runtimeErrors,
    ...networkErrors,
    ...storageErrors,
    ...(shutdownError === undefined ? [] : [shutdownError]),
    ...missingCapacity(capacity, localStorage)
  ]
  const ready = errors.length === 0
  const status = ready ? "True" : "False"
  const text = ready ? "kubelet is posting ready status" : aggregate(errors)
  const index = conditions.findIndex(({ type }) => type === "Ready")
  const old = conditions[index]
  const isUnchanged = old?.status === status
  const condition: NodeCondition = {
    type: "Ready",
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: isUnchanged ? (old.lastTransitionTime ?? now) : now,
    reason: ready ? "KubeletReady" : "KubeletNotReady",
    message: softRequirements === undefined ? text : `${text}. WARNING: ${softRequirements}`
  }
  const events = old === undefined || isUnchanged ? NO_EVENTS : [ready ? "NodeReady" : "NodeNotReady"]
  return { conditions: put(conditions, index, condition), events }
}
