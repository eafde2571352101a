import * as Result from "effect/Result"
import { CpuSet } from "./CpuSet.ts"

/**
 * Who has which CPUs, by pod uid and container name. An immutable value: each change makes a new one. Upstream:
 * pkg/kubelet/cm/cpumanager/state.
 */
export interface CpuState {
  /** Where everybody runs who has none of their own. */
  readonly shared: CpuSet
  readonly containers: ReadonlyMap<string, ReadonlyMap<string, CpuSet>>
  /** Pods that are managed as a whole: what their containers divide. */
  readonly pods: ReadonlyMap<string, CpuSet>
}

export const noCpuState: CpuState = { shared: CpuSet.empty, containers: new Map(), pods: new Map() }

/** undefined: it runs on the shared ones. */
export const cpusOwnedBy = (state: CpuState, podUid: string, container: string): CpuSet | undefined =>
  state.containers.get(podUid)?.get(container)

/** The containers' CPUs leave the shared ones. */
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

/** A pod gets CPUs as a whole, and its containers their parts of them. */
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
 * A container is gone: what it had is shared again, but for what a sibling has too, and of a pod that is managed as a whole only with the
 * last container. Upstream: policy_static.go RemoveContainer.
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

/** All that are somebody's own. */
export const ownedCpus = (state: CpuState): CpuSet =>
  unionOf([...state.containers.values()].flatMap((containers) => [...containers.values()]))

/** What a restored state must agree with. */
export interface CpuStateRules {
  /** The CPUs that the machine has now. */
  readonly all: CpuSet
  readonly reserved: CpuSet
  /** Option strict-cpu-reservation. */
  readonly strict: boolean
}

/**
 * The state to start with: the restored one if it fits the machine and the configuration, a fresh one where nothing was restored. A misfit
 * stops the kubelet until the node is drained and the file removed. Upstream: policy_static.go validateState.
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
