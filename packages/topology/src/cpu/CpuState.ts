import * as Result from "effect/Result"
import { CpuSet } from "./CpuSet.ts"

/**
 * The CPU assignments of a machine. The value is immutable: each change makes a new one. Upstream:
 * pkg/kubelet/cm/cpumanager/state.
 */
export interface CpuState {
  /** The shared pool, for containers without exclusive CPUs. */
  readonly shared: CpuSet
  /** The exclusive CPUs of containers, by pod uid and container name. */
  readonly containers: ReadonlyMap<string, ReadonlyMap<string, CpuSet>>
  /** The CPUs of pods that are managed at pod level, divided among their containers. */
  readonly pods: ReadonlyMap<string, CpuSet>
}

/** The state in which no CPU is assigned, and the shared pool is empty. */
export const noCpuState: CpuState = { shared: CpuSet.empty, containers: new Map(), pods: new Map() }

/** Returns the exclusive CPUs of a container, or undefined if it runs on the shared pool. */
export const cpusOwnedBy = (state: CpuState, podUid: string, container: string): CpuSet | undefined =>
  state.containers.get(podUid)?.get(container)

/** Assigns CPUs to containers, and removes them from the shared pool. */
export const withContainers = (
  state: CpuState,
  podUid: string,
  owned: Iterable<readonly [container: string, cpus: CpuSet]>
): CpuState => {
  const setsOfPod = new Map(state.containers.get(podUid))
  let { shared } = state
  for (const [container, cpus] of owned) {
    setsOfPod.set(container, cpus)
    shared = shared.difference(cpus)
  }
  return { ...state, shared, containers: new Map(state.containers).set(podUid, setsOfPod) }
}

/** Assigns CPUs to a pod, and parts of them to its containers. */
export const withPod = (
  state: CpuState,
  podUid: string,
  cpus: CpuSet,
  owned: Iterable<readonly [container: string, cpus: CpuSet]>
): CpuState =>
  withContainers(
    { ...state, shared: state.shared.difference(cpus), pods: new Map(state.pods).set(podUid, cpus) },
    podUid,
    owned
  )

const without = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> => {
  const remaining = new Map(map)
  remaining.delete(key)
  return remaining
}

/**
 * Removes a container. Its CPUs return to the shared pool, except those that another container of the pod has too. The
 * CPUs of a pod that is managed at pod level return with its last container. Upstream: policy_static.go
 * RemoveContainer.
 */
export const releaseContainer = (state: CpuState, podUid: string, container: string): CpuState => {
  const owned = cpusOwnedBy(state, podUid, container)
  if (owned === undefined) return state
  const siblings = without(state.containers.get(podUid) ?? new Map<string, CpuSet>(), container)
  const containers =
    siblings.size === 0 ? without(state.containers, podUid) : new Map(state.containers).set(podUid, siblings)
  const setsOfPod = state.pods.get(podUid)
  if (setsOfPod === undefined) {
    return { ...state, shared: state.shared.union(owned.difference(unionOf(siblings.values()))), containers }
  }
  if (siblings.size > 0) return { ...state, containers }
  return { shared: state.shared.union(setsOfPod), containers, pods: without(state.pods, podUid) }
}

/** Returns the union of any number of sets. */
export const unionOf = (sets: Iterable<CpuSet>): CpuSet => CpuSet.of([...sets].flatMap(({ ids }) => ids))

/** Returns all exclusively assigned CPUs. */
export const ownedCpus = (state: CpuState): CpuSet =>
  unionOf([...state.containers.values()].flatMap((containers) => [...containers.values()]))

/** What a restored state is validated against. */
export interface CpuStateRules {
  /** The machine's current CPUs. */
  readonly all: CpuSet
  readonly reserved: CpuSet
  /** Whether the option strict-cpu-reservation is on, so that reserved CPUs are not in the shared pool. */
  readonly strict: boolean
}

/**
 * Returns the initial state: the restored one, or a new one if nothing was restored. Fails if the restored one does not
 * fit the machine and the configuration, which stops the kubelet until the node is drained and the file removed.
 * Upstream: policy_static.go validateState.
 */
export const validateCpuState = (state: CpuState, rules: CpuStateRules): Result.Result<CpuState, string> => {
  const all = rules.strict ? rules.all.difference(rules.reserved) : rules.all
  if (state.shared.isEmpty) {
    if (state.containers.size > 0) return Result.fail("default cpuset cannot be empty")
    return Result.succeed({ ...state, shared: all })
  }
  const fault = reservationFault(state.shared, rules) ?? overlapFault(state)
  if (fault !== undefined) return Result.fail(fault)
  const cpusInState = unionOf([state.shared, ownedCpus(state), ...state.pods.values()])
  if (cpusInState.equals(all)) return Result.succeed(state)
  return Result.fail(`current set of available CPUs "${all}" doesn't match with CPUs in state "${cpusInState}"`)
}

const reservationFault = (shared: CpuSet, { reserved, strict }: CpuStateRules): string | undefined => {
  const reservedInShared = reserved.intersection(shared)
  if (strict) {
    if (reservedInShared.isEmpty) return undefined
    return `some of strictly reserved cpus: "${reservedInShared}" are present in defaultCpuSet: "${shared}"`
  }
  if (reservedInShared.equals(reserved)) return undefined
  return `not all reserved cpus: "${reserved}" are present in defaultCpuSet: "${shared}"`
}

const overlapFault = ({ containers, shared }: CpuState): string | undefined => {
  for (const [pod, setsOfPod] of containers) {
    for (const [container, cpus] of setsOfPod) {
      if (cpus.intersection(shared).isEmpty) continue
      return `pod: ${pod}, container: ${container} cpuset: "${cpus}" overlaps with default cpuset "${shared}"`
    }
  }
  return undefined
}
