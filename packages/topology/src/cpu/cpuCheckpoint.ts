import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CpuSet, parseCpuSet } from "./CpuSet.ts"
import type { CpuState } from "./CpuState.ts"
import { type CheckpointTexts, cpuChecksum, firstCpuChecksum, type NestedTexts, type Texts } from "./cpuChecksum.ts"

/** The file in the kubelet's root directory. */
export const cpuStateFile = "cpu_manager_state"

/** Of a container id as the runtime gives it: whose it is. */
export type ContainerRef = (
  containerId: string
) => { readonly podUid: string; readonly containerName: string } | undefined

/**
 * The text of the checkpoint file. Pod entries are for a kubelet that manages pods as a whole (gate PodLevelResourceManagers). Upstream:
 * pkg/kubelet/cm/cpumanager/state/checkpoint.go.
 */
export const cpuStateText = (policyName: string, state: CpuState, withPods = false): string => {
  const texts: CheckpointTexts = {
    policyName,
    shared: state.shared.toString(),
    entries: byName(state.containers, (owned) => byName(owned, String)),
    podEntries: withPods ? byName(state.pods, String) : undefined
  }
  return JSON.stringify({
    policyName,
    defaultCpuSet: texts.shared,
    ...(state.containers.size > 0 ? { entries: texts.entries } : {}),
    ...(withPods && state.pods.size > 0 ? { podEntries: byName(state.pods, (cpuSet) => ({ cpuSet })) } : {}),
    checksum: cpuChecksum(texts)
  })
}

/** As Go writes a map: by key. */
const byName = <V, T>(map: ReadonlyMap<string, V>, print: (value: V) => T): Readonly<Record<string, T>> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, print(value)]))

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
/** Knew containers by their id. */
const First = Schema.Struct({ ...head, entries: Schema.optionalKey(TextMap) })

const decodeCurrent = Schema.decodeUnknownOption(Schema.fromJsonString(Current))
const decodeFirst = Schema.decodeUnknownOption(Schema.fromJsonString(First))

/** None at all is accepted, and so is zero: the oldest files had none. */
const isRight = (checksum: number | undefined, expected: ReadonlyArray<number>): boolean =>
  checksum === undefined || checksum === 0 || expected.includes(checksum)

const readTexts = (text: string, containerRef: ContainerRef): Result.Result<CheckpointTexts, string> => {
  if (text.trim() === "") return Result.fail("unexpected end of JSON input")
  const current = decodeCurrent(text)
  if (Option.isSome(current)) {
    const { checksum, defaultCpuSet: shared, entries = {}, podEntries: pods = {}, policyName } = current.value
    const podEntries = Object.fromEntries(Object.entries(pods).map(([uid, { cpuSet = "" }]) => [uid, cpuSet]))
    const texts = { policyName, shared, entries, podEntries }
    const withoutPods = current.value.podEntries === undefined ? [cpuChecksum({ ...texts, podEntries: undefined })] : []
    if (isRight(checksum, [cpuChecksum(texts), ...withoutPods])) return Result.succeed(texts)
  }
  const first = decodeFirst(text)
  if (Option.isSome(first)) {
    const { checksum, defaultCpuSet: shared, entries = {}, policyName } = first.value
    if (isRight(checksum, [firstCpuChecksum(policyName, shared, entries)])) {
      const named = Result.mapError(
        migrated(entries, containerRef),
        (cause) => `failed to migrate checkpoint from v1 to v2: ${cause}`
      )
      return Result.map(named, (byPod) => ({ policyName, shared, entries: byPod, podEntries: {} }))
    }
  }
  return Result.fail("checkpoint is corrupted")
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

const parseNamed = (text: string, what: string): Result.Result<CpuSet, string> =>
  Result.mapError(parseCpuSet(text), (cause) => `could not parse ${what}: ${cause}`)

/**
 * The state that a checkpoint file holds, or why it cannot be had: damaged, of another policy, with sets that are none. Files of the first
 * format are carried over if it is known whose their containers are. Upstream: state_checkpoint.go restoreState.
 */
export const restoreCpuState = (
  text: string,
  policyName: string,
  containerRef: ContainerRef = () => undefined
): Result.Result<CpuState, string> =>
  Result.gen(function* () {
    const texts = yield* readTexts(text, containerRef)
    if (texts.policyName !== policyName) {
      const [is, was] = [JSON.stringify(policyName), JSON.stringify(texts.policyName)]
      return yield* Result.fail(`configured policy ${is} differs from state checkpoint policy ${was}`)
    }
    const shared = yield* parseNamed(texts.shared, `default cpu set ${JSON.stringify(texts.shared)}`)
    const containers = new Map<string, Map<string, CpuSet>>()
    for (const [uid, owned] of Object.entries(texts.entries)) {
      const ofPod = new Map<string, CpuSet>()
      for (const [name, cpus] of Object.entries(owned)) {
        const what = `cpuset "${cpus}" for container ${JSON.stringify(name)} in pod ${JSON.stringify(uid)}`
        ofPod.set(name, yield* parseNamed(cpus, what))
      }
      containers.set(uid, ofPod)
    }
    const pods = new Map<string, CpuSet>()
    for (const [uid, cpus] of Object.entries(texts.podEntries ?? {})) {
      pods.set(uid, yield* parseNamed(cpus, `cpuset "${cpus}" for pod ${JSON.stringify(uid)}`))
    }
    return { shared, containers, pods }
  })
