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

/** The file in the kubelet's root directory. */
export const cpuStateFile = "cpu_manager_state"

/** Looks up the pod and container of a runtime's container id. */
export type ContainerRef = (
  containerId: string
) => { readonly podUid: string; readonly containerName: string } | undefined

/**
 * The text of the checkpoint file. Pod entries are for a kubelet that manages pods at pod level (gate
 * PodLevelResourceManagers). Upstream: pkg/kubelet/cm/cpumanager/state/checkpoint.go.
 */
export const cpuStateText = (policyName: string, state: CpuState, withPods = false): string => {
  const saved: SavedCpus = {
    policyName,
    shared: state.shared.toString(),
    entries: byName(state.containers, (owned) => byName(owned, String)),
    podEntries: withPods ? byName(state.pods, (cpus) => cpus) : undefined
  }
  return JSON.stringify({
    policyName,
    defaultCpuSet: saved.shared,
    ...(state.containers.size > 0 ? { entries: saved.entries } : {}),
    ...(withPods && state.pods.size > 0 ? { podEntries: byName(state.pods, (cpuSet) => ({ cpuSet })) } : {}),
    checksum: cpuChecksum(saved)
  })
}

/** In order of key, as Go writes a map. */
const byName = <V, T>(map: ReadonlyMap<string, V>, print: (value: V) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(sortedEntries(map).map(([name, value]) => [name, print(value)]))

const head = {
  policyName: Schema.String,
  defaultCpuSet: Schema.String,
  checksum: Schema.optionalKey(Schema.Int)
}
const TextMap = Schema.Record(Schema.String, Schema.String)
const PodEntry = Schema.Struct({ cpuSet: Schema.optionalKey(Schema.String) })
const Current = Schema.Struct({
  ...head,
  entries: Schema.optionalKey(Schema.Record(Schema.String, TextMap)),
  podEntries: Schema.optionalKey(Schema.Record(Schema.String, PodEntry))
})
/** The first format, by container id. */
const First = Schema.Struct({ ...head, entries: Schema.optionalKey(TextMap) })

const decodeCurrent = Schema.decodeUnknownOption(Schema.fromJsonString(Current))
const decodeFirst = Schema.decodeUnknownOption(Schema.fromJsonString(First))

const corrupted = "checkpoint is corrupted"

const parseNamed = (text: string, what: string): Result.Result<CpuSet, string> =>
  Result.mapError(parseCpuSet(text), (cause) => `could not parse ${what}: ${cause}`)

const readSaved = (text: string, containerRef: ContainerRef): Result.Result<SavedCpus, string> =>
  Result.gen(function* () {
    const current = Option.getOrUndefined(decodeCurrent(text))
    if (current === undefined) return yield* readFirst(text, containerRef)
    const { checksum = 0, defaultCpuSet: shared, entries = {}, podEntries: pods, policyName } = current
    const podEntries: Record<string, CpuSet> = {}
    for (const [uid, { cpuSet = "" }] of Object.entries(pods ?? {})) {
      podEntries[uid] = yield* parseNamed(cpuSet, `cpuset ${JSON.stringify(cpuSet)} for pod ${JSON.stringify(uid)}`)
    }
    const saved = { policyName, shared, entries, podEntries: pods === undefined ? undefined : podEntries }
    return isCpuChecksum(checksum, saved) ? saved : yield* readFirst(text, containerRef)
  })

const readFirst = (text: string, containerRef: ContainerRef): Result.Result<SavedCpus, string> => {
  const first = Option.getOrUndefined(decodeFirst(text))
  if (first === undefined) return Result.fail(corrupted)
  const { checksum = 0, defaultCpuSet: shared, entries = {}, policyName } = first
  if (!isFirstCpuChecksum(checksum, { policyName, shared }, entries)) return Result.fail(corrupted)
  return Result.mapBoth(migrated(entries, containerRef), {
    onFailure: (cause) => `failed to migrate checkpoint from v1 to v2: ${cause}`,
    onSuccess: (byPod) => ({ policyName, shared, entries: byPod, podEntries: undefined })
  })
}

const migrated = (entries: Texts, containerRef: ContainerRef): Result.Result<NestedTexts, string> => {
  const byPod: Record<string, Texts> = {}
  for (const [containerId, cpus] of Object.entries(entries)) {
    const ref = containerRef(containerId)
    if (ref === undefined) return Result.fail(`containerID '${containerId}' not found in initial containers list`)
    byPod[ref.podUid] = { ...byPod[ref.podUid], [ref.containerName]: cpus }
  }
  return Result.succeed(byPod)
}

/**
 * Reads the state from a checkpoint file. Fails if it is corrupted, of another policy, or contains invalid sets. Files
 * of the first format are migrated if their containers are known. Upstream: state_checkpoint.go restoreState.
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
      const [is, was] = [JSON.stringify(policyName), JSON.stringify(saved.policyName)]
      return yield* Result.fail(`configured policy ${is} differs from state checkpoint policy ${was}`)
    }
    const shared = yield* parseNamed(saved.shared, `default cpu set ${JSON.stringify(saved.shared)}`)
    const containers = new Map<string, Map<string, CpuSet>>()
    for (const [uid, owned] of Object.entries(saved.entries)) {
      const ofPod = new Map<string, CpuSet>()
      for (const [name, cpus] of Object.entries(owned)) {
        const what = `cpuset ${JSON.stringify(cpus)} for container ${JSON.stringify(name)} in pod ${JSON.stringify(uid)}`
        ofPod.set(name, yield* parseNamed(cpus, what))
      }
      containers.set(uid, ofPod)
    }
    return { shared, containers, pods: new Map(Object.entries(saved.podEntries ?? {})) }
  })
