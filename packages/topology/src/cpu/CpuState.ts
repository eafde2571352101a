import * as Result from "effect/Result"
import { CpuSet } from "./CpuSet.ts"

/**
 * The CPU assignments, by pod uid and container name. Immutable: each change makes a new value.
 * Upstream: pkg/kubelet/cm/cpumanager/state.
 */
export interface CpuState {
  /** The shared pool, for containers without exclusive CPUs. */
  readonly shared: CpuSet
  readonly containers: ReadonlyMap<string, ReadonlyMap<string, CpuSet>>
  /** The CPUs of pods that are managed at pod level, divided among their containers. */
  readonly pods: ReadonlyMap<string, CpuSet>
}

/** The state in which no CPU is assigned, and the shared pool is empty. */
export const noCpuState: CpuState = { shared: CpuSet.empty, containers: new Map(), pods: new Map() }

/** The exclusive CPUs of a container; undefined: it runs on the shared pool. */
export const cpusOwnedBy = (state: CpuState, podUid: string, container: string): CpuSet | undefined =>
  state.containers.get(podUid)?.get(container)

/** Assigns CPUs to containers, and removes them from the shared pool. */
export const withContainers = (
  state: CpuState,
  podUid: string,
  owned: Iterable<readonly [container: string, cpus: CpuSet]>
): CpuState => {
  const ofPod = new Map(state.containers.get(podUid))
  let { shared } = state
  for (const [container, cpus] of owned) {
    ofPod.set(container, cpus)
    shared = shared.difference(cpus)
  }
  return { ...state, shared, containers: new Map(state.containers).set(podUid, ofPod) }
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
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

/**
 * Removes a container: its CPUs return to the shared pool, except those that a sibling has too; of a pod managed at
 * pod level only with the last container. Upstream: policy_static.go RemoveContainer.
 */
export const releaseContainer = (state: CpuState, podUid: string, container: string): CpuState => {
  const owned = cpusOwnedBy(state, podUid, container)
  if (owned === undefined) return state
  const siblings = without(state.containers.get(podUid) ?? new Map<string, CpuSet>(), container)
  const containers =
    siblings.size === 0 ? without(state.containers, podUid) : new Map(state.containers).set(podUid, siblings)
  const ofPod = state.pods.get(podUid)
  if (ofPod === undefined) {
    return { ...state, shared: state.shared.union(owned.difference(unionOf(siblings.values()))), containers }
  }
  if (siblings.size > 0) return { ...state, containers }
  return { shared: state.shared.union(ofPod), containers, pods: without(state.pods, podUid) }
}

export const unionOf = (sets: Iterable<CpuSet>): CpuSet => CpuSet.of([...sets].flatMap(({ ids }) => ids))

/** All exclusively assigned CPUs. */
export const ownedCpus = (state: CpuState): CpuSet =>
  unionOf([...state.containers.values()].flatMap((containers) => [...containers.values()]))

/** What a restored state is validated against. */
export interface CpuStateRules {
  /** The machine's current CPUs. */
  readonly all: CpuSet
  readonly reserved: CpuSet
  /** Option strict-cpu-reservation. */
  readonly strict: boolean
}

/**
 * The initial state: the restored one if it fits the machine and the configuration, a fresh one if nothing was
 * restored. A mismatch stops the kubelet until the node is drained and the file removed. Upstream: policy_static.go
 * validateState.
 */
export const validateCpuState = (state: CpuState, rules: CpuStateRules): Result.Result<CpuState, string> => {
  const all = rules.strict ? rules.all.difference(rules.reserved) : rules.all
  if (state.shared.isEmpty) {
    if (state.containers.size > 0) return Result.fail("default cpuset cannot be empty")
    return Result.succeed({ ...state, shared: all })
  }
  const fault = reservationFault(state.shared, rules) ?? overlapFault(state)
  if (fault !== undefined) return Result.fail(fault)
  const recorded = unionOf([state.shared, ownedCpus(state), ...state.pods.values()])
  if (recorded.equals(all)) return Result.succeed(state)
  return Result.fail(`current set of available CPUs "${all}" doesn't match with CPUs in state "${recorded}"`)
}

const reservationFault = (shared: CpuSet, { reserved, strict }: CpuStateRules): string | undefined => {
  const found = reserved.intersection(shared)
  if (strict) {
    if (found.isEmpty) return undefined
    return `some of strictly reserved cpus: "${found}" are present in defaultCpuSet: "${shared}"`
  }
  if (found.equals(reserved)) return undefined
  return `not all reserved cpus: "${reserved}" are present in defaultCpuSet: "${shared}"`
}

const overlapFault = ({ containers, shared }: CpuState): string | undefined => {
  for (const [pod, ofPod] of containers) {
    for (const [container, cpus] of ofPod) {
      if (cpus.intersection(shared).isEmpty) continue
      return `pod: ${pod}, container: ${container} cpuset: "${cpus}" overlaps with default cpuset "${shared}"`
    }
  }
  return undefined
}
