import { sortedEntries } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import type { CpuSet } from "./CpuSet.ts"

export type Texts = Readonly<Record<string, string>>
export type NestedTexts = Readonly<Record<string, Texts>>

/** The content of a checkpoint file without its checksum. */
export interface SavedCpus {
  readonly policyName: string
  readonly shared: string
  /** The CPU lists, by pod uid and container name. */
  readonly entries: NestedTexts
  /** The CPUs of pods, by uid; undefined if the kubelet that wrote the file does not manage pods at pod level. */
  readonly podEntries: Readonly<Record<string, CpuSet>> | undefined
}

/** The names of Go's struct in kubelet releases, which are part of the checksum. All releases accept the first. */
const structNames = ["CPUManagerCheckpoint", "CPUManagerCheckpointV2", "CPUManagerCheckpointV3"] as const

/**
 * Returns the checksum of a dump of Go's struct, as upstream makes it, so that a kubelet accepts the files of this
 * model and this model those of a kubelet. Upstream: pkg/kubelet/checkpointmanager/checksum, pkg/util/hash;
 * cpumanager/state/checkpoint.go.
 */
export const cpuChecksum = (saved: SavedCpus): number => checksumOf(structNames[0], saved, currentFields(saved))

/**
 * Whether a checksum is valid. Zero is accepted, because the oldest files had no checksum. A file without pod entries
 * may come from a kubelet that manages pods at pod level but had none to write, so both variants are tried.
 */
export const isCpuChecksum = (checksum: number, saved: SavedCpus): boolean => {
  const fields = currentFields(saved)
  const variants = saved.podEntries === undefined ? [fields, currentFields({ ...saved, podEntries: {} })] : [fields]
  return (
    checksum === 0 ||
    structNames.some((name) => variants.some((variant) => checksumOf(name, saved, variant) === checksum))
  )
}

/** Whether a checksum is valid for the first format, whose entries are keyed by container id. */
export const isFirstCpuChecksum = (
  checksum: number,
  saved: Pick<SavedCpus, "policyName" | "shared">,
  entries: Texts
): boolean =>
  checksum === 0 || checksumOf(structNames[0], saved, `Entries:(map[string]string)${dumpTexts(entries)}`) === checksum

const checksumOf = (
  name: string,
  { policyName, shared }: Pick<SavedCpus, "policyName" | "shared">,
  fields: string
): number => {
  const head = `PolicyName:(string)${policyName} DefaultCPUSet:(string)${shared}`
  return fnv1a(`(*state.${name}){${head} ${fields} Checksum:(checksum.Checksum)0}`)
}

const currentFields = ({ entries, podEntries }: SavedCpus): string => {
  const fields = `Entries:(map[string]map[string]string)${dump(entries, dumpTexts)}`
  return podEntries === undefined
    ? fields
    : `${fields} PodEntries:(state.PodCPUAssignments)${dump(podEntries, dumpPod)}`
}

/** Returns a map as Go prints it, in the order of its keys. */
const dump = <V>(record: Readonly<Record<string, V>>, print: (value: V) => string): string => {
  const entries = sortedEntries(record)
  return `map[${entries.map(([key, value]) => `${key}:${print(value)}`).join(" ")}]`
}

const dumpTexts = (record: Texts): string => dump(record, String)

const dumpPod = ({ ids }: CpuSet): string =>
  `{CPUSet:(cpuset.CPUSet){elems:(map[int]struct {})map[${ids.map((id) => `${id}:{}`).join(" ")}]}}`
