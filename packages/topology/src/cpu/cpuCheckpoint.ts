import * as Result from "effect/Result"
import { checksumOf } from "../internal/checksum.ts"
import { type CpuSet, parseCpuSet } from "./CpuSet.ts"
import type { CpuState } from "./CpuState.ts"

/** The file in the kubelet's root directory. */
export const cpuCheckpointName = "cpu_manager_state"

/** Of a container id as the runtime gives it: whose it is. */
export type ContainerRef = (
  containerId: string
) => { readonly podUid: string; readonly containerName: string } | undefined

type Texts = Readonly<Record<string, string>>
type Nested = Readonly<Record<string, Texts>>

/** Maps print as Go prints them: by key. */
const sorted = <V>(entries: Iterable<readonly [string, V]>): ReadonlyArray<readonly [string, V]> =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

const dumpOf = <V>(record: Readonly<Record<string, V>>, print: (value: V) => string): string =>
  `map[${sorted(Object.entries(record))
    .map(([key, value]) => `${key}:${print(value)}`)
    .join(" ")}]`

const dumpTexts = (record: Texts): string => dumpOf(record, (text) => text)

/**
 * Over a dump of Go's struct as upstream makes it: what this model writes a kubelet reads, and the other way round. Upstream:
 * pkg/kubelet/checkpointmanager/checksum, pkg/util/hash.
 */
const structChecksum = (policyName: string, shared: string, ...fields: ReadonlyArray<string>): number =>
  checksumOf(
    `(*state.CPUManagerCheckpoint){PolicyName:(string)${policyName} DefaultCPUSet:(string)${shared} ${fields.join(" ")} Checksum:(checksum.Checksum)0}`
  )

const entriesField = (entries: Nested): string => `Entries:(map[string]map[string]string)${dumpOf(entries, dumpTexts)}`
/** Of a feature in alpha; only the model itself reads it again. */
const podEntriesField = (pods: Texts): string => `PodEntries:(state.PodCPUAssignments)${dumpTexts(pods)}`

const textsOf = (sets: ReadonlyMap<string, CpuSet>): Texts =>
  Object.fromEntries(sorted(sets).map(([name, cpus]) => [name, cpus.toString()]))

/**
 * The text of the checkpoint file. `podEntries` are for a kubelet that manages pods as a whole (gate PodLevelResourceManagers).
 * Upstream: pkg/kubelet/cm/cpumanager/state/checkpoint.go.
 */
export const writeCpuCheckpoint = (policyName: string, state: CpuState, podEntries = false): string => {
  const entries: Nested = Object.fromEntries(sorted(state.containers).map(([uid, owned]) => [uid, textsOf(owned)]))
  const pods = textsOf(state.pods)
  const shared = state.shared.toString()
  const fields = [entriesField(entries), ...(podEntries ? [podEntriesField(pods)] : [])]
  return JSON.stringify({
    policyName,
    defaultCpuSet: shared,
    ...(state.containers.size > 0 ? { entries } : {}),
    ...(podEntries && state.pods.size > 0
      ? { podEntries: Object.fromEntries(Object.entries(pods).map(([uid, cpuSet]) => [uid, { cpuSet }])) }
      : {}),
    checksum: structChecksum(policyName, shared, ...fields)
  })
}

/** What a file holds once its checksum is found right. */
interface Read {
  readonly policyName: string
  readonly shared: string
  readonly entries: Nested
  readonly pods: Texts
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): value is Texts =>
  isRecord(value) && Object.values(value).every((item) => typeof item === "string")
const isNested = (value: unknown): value is Nested => isRecord(value) && Object.values(value).every(isTexts)

const corrupt = "checkpoint is corrupted"

const parsed = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Newest format first. A checksum of zero, or none, is accepted: the oldest files had none. */
const readFormats = (text: string, containerRef: ContainerRef): Result.Result<Read, string> => {
  const { checksum = 0, defaultCpuSet: shared = "", policyName = "", ...file } = parsed(text) ?? { entries: null }
  const { entries = {}, podEntries } = file
  if (typeof policyName !== "string" || typeof shared !== "string") return Result.fail(corrupt)
  const holds = (...fields: ReadonlyArray<string>) =>
    checksum === 0 || checksum === structChecksum(policyName, shared, ...fields)

  if (isNested(entries)) {
    const pods = podSets(podEntries)
    const fields = entriesField(entries)
    if (pods !== undefined && (holds(fields, podEntriesField(pods)) || (podEntries === undefined && holds(fields)))) {
      return Result.succeed({ policyName, shared, entries, pods })
    }
  }
  // The first format knew containers by their id.
  if (isTexts(entries) && holds(`Entries:(map[string]string)${dumpTexts(entries)}`)) {
    return Result.map(migrated(entries, containerRef), (byPod) => ({ policyName, shared, entries: byPod, pods: {} }))
  }
  return Result.fail(corrupt)
}

const podSets = (podEntries: unknown): Texts | undefined => {
  if (podEntries === undefined) return {}
  if (!isNested(podEntries)) return undefined
  return Object.fromEntries(Object.entries(podEntries).map(([uid, { cpuSet = "" }]) => [uid, cpuSet]))
}

const migrated = (entries: Texts, containerRef: ContainerRef): Result.Result<Nested, string> => {
  const byPod: Record<string, Record<string, string>> = {}
  for (const [containerId, cpus] of Object.entries(entries)) {
    const ref = containerRef(containerId)
    if (ref === undefined) {
      const cause = `containerID '${containerId}' not found in initial containers list`
      return Result.fail(`failed to migrate checkpoint from v1 to v2: ${cause}`)
    }
    byPod[ref.podUid] = { ...byPod[ref.podUid], [ref.containerName]: cpus }
  }
  return Result.succeed(byPod)
}

const setsOf = (
  texts: Texts,
  describe: (name: string) => string
): Result.Result<ReadonlyMap<string, CpuSet>, string> => {
  const sets = new Map<string, CpuSet>()
  for (const [name, text] of Object.entries(texts)) {
    const cpus = parseCpuSet(text)
    if (Result.isFailure(cpus)) return Result.fail(`could not parse ${describe(name)}: ${cpus.failure}`)
    sets.set(name, cpus.success)
  }
  return Result.succeed(sets)
}

/**
 * The state that a checkpoint file holds, or why it cannot be had: damaged, of another policy, with sets that are none. Files of
 * the first format are carried over if it is known whose their containers are. Upstream: state_checkpoint.go restoreState.
 */
export const readCpuCheckpoint = (
  text: string,
  policyName: string,
  containerRef: ContainerRef = () => undefined
): Result.Result<CpuState, string> =>
  Result.gen(function* () {
    const read = yield* readFormats(text, containerRef)
    if (read.policyName !== policyName) {
      const found = JSON.stringify(read.policyName)
      return yield* Result.fail(`configured policy "${policyName}" differs from state checkpoint policy ${found}`)
    }
    const quoted = JSON.stringify(read.shared)
    const shared = yield* Result.mapError(
      parseCpuSet(read.shared),
      (m) => `could not parse default cpu set ${quoted}: ${m}`
    )
    const containers = new Map<string, ReadonlyMap<string, CpuSet>>()
    for (const [uid, texts] of Object.entries(read.entries)) {
      const describe = (name: string) =>
        `cpuset ${JSON.stringify(texts[name])} for container ${JSON.stringify(name)} in pod ${JSON.stringify(uid)}`
      containers.set(uid, yield* setsOf(texts, describe))
    }
    const pods = yield* setsOf(
      read.pods,
      (uid) => `cpuset ${JSON.stringify(read.pods[uid])} for pod ${JSON.stringify(uid)}`
    )
    return { shared, containers, pods }
  })
