import { sortedEntries } from "@rollcall/api"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CpuSet, parseCpuSet } from "./CpuSet.ts"
import type { CpuState } from "./CpuState.ts"
import {
  cpuChecksum,
  isCpuChecksum,
  isFirstCpuChecksum,
  type NestedTexts,
  type SavedCpus,
  type Texts
} from "./cpuChecksum.ts"

/** The name of the checkpoint file in the kubelet's root directory. */
export const cpuStateFile = "cpu_manager_state"

/** Returns the pod and the name of a container by its id in the runtime, or undefined if it is not known. */
export type ContainerRef = (
  containerId: string
) => { readonly podUid: string; readonly containerName: string } | undefined

/**
 * Returns the text of the checkpoint file, `withPods` as a kubelet writes it that manages pods at pod level (gate
 * PodLevelResourceManagers). Upstream: pkg/kubelet/cm/cpumanager/state/checkpoint.go.
 */
export const cpuStateText = (policyName: string, state: CpuState, withPods = false): string => {
  const saved: SavedCpus = {
    policyName,
    shared: state.shared.toString(),
    entries: sortedRecord(state.containers, (owned) => sortedRecord(owned, String)),
    podEntries: withPods ? sortedRecord(state.pods, (cpus) => cpus) : undefined
  }
  return JSON.stringify({
    policyName,
    defaultCpuSet: saved.shared,
    ...(state.containers.size > 0 ? { entries: saved.entries } : {}),
    ...(withPods && state.pods.size > 0 ? { podEntries: sortedRecord(state.pods, (cpuSet) => ({ cpuSet })) } : {}),
    checksum: cpuChecksum(saved)
  })
}

/** Returns the entries of a map in the order of their keys, as Go writes it. */
const sortedRecord = <V, T>(map: ReadonlyMap<string, V>, print: (value: V) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(sortedEntries(map).map(([name, value]) => [name, print(value)]))

const commonFields = {
  policyName: Schema.String,
  defaultCpuSet: Schema.String,
  checksum: Schema.optionalKey(Schema.Int)
}
const TextMap = Schema.Record(Schema.String, Schema.String)
const PodEntry = Schema.Struct({ cpuSet: Schema.optionalKey(Schema.String) })
const CurrentFormat = Schema.Struct({
  ...commonFields,
  entries: Schema.optionalKey(Schema.Record(Schema.String, TextMap)),
  podEntries: Schema.optionalKey(Schema.Record(Schema.String, PodEntry))
})
/** The first format, whose entries are keyed by container id. */
const FirstFormat = Schema.Struct({ ...commonFields, entries: Schema.optionalKey(TextMap) })

const decodeCurrentFormat = Schema.decodeUnknownOption(Schema.fromJsonString(CurrentFormat))
const decodeFirstFormat = Schema.decodeUnknownOption(Schema.fromJsonString(FirstFormat))

const corrupted = "checkpoint is corrupted"

const parseSet = (text: string, subject: string): Result.Result<CpuSet, string> =>
  Result.mapError(parseCpuSet(text), (cause) => `could not parse ${subject}: ${cause}`)

const readSaved = (text: string, containerRef: ContainerRef): Result.Result<SavedCpus, string> =>
  Result.gen(function* () {
    const current = Option.getOrUndefined(decodeCurrentFormat(text))
    if (current === undefined) return yield* readFirstFormat(text, containerRef)
    const { checksum = 0, defaultCpuSet: shared, entries = {}, podEntries: pods, policyName } = current
    const podEntries: Record<string, CpuSet> = {}
    for (const [uid, { cpuSet = "" }] of Object.entries(pods ?? {})) {
      podEntries[uid] = yield* parseSet(cpuSet, `cpuset ${JSON.stringify(cpuSet)} for pod ${JSON.stringify(uid)}`)
    }
    const saved = { policyName, shared, entries, podEntries: pods === undefined ? undefined : podEntries }
    return isCpuChecksum(checksum, saved) ? saved : yield* readFirstFormat(text, containerRef)
  })

const readFirstFormat = (text: string, containerRef: ContainerRef): Result.Result<SavedCpus, string> => {
  const first = Option.getOrUndefined(decodeFirstFormat(text))
  if (first === undefined) return Result.fail(corrupted)
  const { checksum = 0, defaultCpuSet: shared, entries = {}, policyName } = first
  if (!isFirstCpuChecksum(checksum, { policyName, shared }, entries)) return Result.fail(corrupted)
  return Result.mapBoth(migrateEntries(entries, containerRef), {
    onFailure: (cause) => `failed to migrate checkpoint from v1 to v2: ${cause}`,
    onSuccess: (byPod) => ({ policyName, shared, entries: byPod, podEntries: undefined })
  })
}

const migrateEntries = (entries: Texts, containerRef: ContainerRef): Result.Result<NestedTexts, string> => {
  const byPod: Record<string, Texts> = {}
  for (const [containerId, cpus] of Object.entries(entries)) {
    const ref = containerRef(containerId)
    if (ref === undefined) return Result.fail(`containerID '${containerId}' not found in initial containers list`)
    byPod[ref.podUid] = { ...byPod[ref.podUid], [ref.containerName]: cpus }
  }
  return Result.succeed(byPod)
}

/**
 * Reads the state from the text of a checkpoint file. Fails if it is corrupted, of another policy, or contains invalid
 * sets. A file of the first format is migrated if `containerRef` knows its containers. Upstream: state_checkpoint.go
 * restoreState.
 */
export const restoreCpuState = (
  text: string,
  policyName: string,
  containerRef: ContainerRef = () => undefined
): Result.Result<CpuState, string> =>
  Result.gen(function* () {
    if (text.trim() === "") return yield* Result.fail("unexpected end of JSON input")
    const saved = yield* readSaved(text, containerRef)
    if (saved.policyName !== policyName) {
      const [configured, found] = [JSON.stringify(policyName), JSON.stringify(saved.policyName)]
      return yield* Result.fail(`configured policy ${configured} differs from state checkpoint policy ${found}`)
    }
    const shared = yield* parseSet(saved.shared, `default cpu set ${JSON.stringify(saved.shared)}`)
    const containers = new Map<string, Map<string, CpuSet>>()
    for (const [uid, owned] of Object.entries(saved.entries)) {
      const setsOfPod = new Map<string, CpuSet>()
      for (const [name, cpus] of Object.entries(owned)) {
        const subject = `cpuset ${JSON.stringify(cpus)} for container ${JSON.stringify(name)} in pod ${JSON.stringify(uid)}`
        setsOfPod.set(name, yield* parseSet(cpus, subject))
      }
      containers.set(uid, setsOfPod)
    }
    return { shared, containers, pods: new Map(Object.entries(saved.podEntries ?? {})) }
  })
