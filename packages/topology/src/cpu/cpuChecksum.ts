import { sortedEntries } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import type { CpuSet } from "./CpuSet.ts"

export type Texts = Readonly<Record<string, string>>
export type NestedTexts = Readonly<Record<string, Texts>>

/** The content of a checkpoint file without its checksum. */
export interface SavedCpus {
  readonly policyName: string
  readonly shared: string
  /** By pod uid and container name. */
  readonly entries: NestedTexts
  /** By pod uid; undefined: written by a kubelet that does not manage pods at pod level. */
  readonly podEntries: Readonly<Record<string, CpuSet>> | undefined
}

/** The struct's name, which enters the checksum, differs between kubelet releases. All of them accept the first. */
const structNames = ["CPUManagerCheckpoint", "CPUManagerCheckpointV2", "CPUManagerCheckpointV3"] as const

/**
 * The checksum over a dump of Go's struct as upstream makes it, so that a kubelet accepts files of this model, and the
 * other way round. Upstream: pkg/kubelet/checkpointmanager/checksum, pkg/util/hash; cpumanager/state/checkpoint.go.
 */
export const cpuChecksum = (saved: SavedCpus): number => overStruct(structNames[0], saved, currentFields(saved))

/**
 * Zero is accepted: the oldest files had none. A file without pod entries may come from a kubelet that had none to
 * write.
 */
export const isCpuChecksum = (checksum: number, saved: SavedCpus): boolean => {
  const fields = currentFields(saved)
  const forms = saved.podEntries === undefined ? [fields, currentFields({ ...saved, podEntries: {} })] : [fields]
  return checksum === 0 || structNames.some((name) => forms.some((form) => overStruct(name, saved, form) === checksum))
}

/** The check for the first format, which used container ids. */
export const isFirstCpuChecksum = (
  checksum: number,
  saved: Pick<SavedCpus, "policyName" | "shared">,
  entries: Texts
): boolean =>
  checksum === 0 || overStruct(structNames[0], saved, `Entries:(map[string]string)${dumpTexts(entries)}`) === checksum

const overStruct = (
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

/** A map as Go prints it: in order of key. */
const dump = <V>(record: Readonly<Record<string, V>>, print: (value: V) => string): string => {
  const entries = sortedEntries(record)
  return `map[${entries.map(([key, value]) => `${key}:${print(value)}`).join(" ")}]`
}

const dumpTexts = (record: Texts): string => dump(record, String)

const dumpPod = ({ ids }: CpuSet): string =>
  `{CPUSet:(cpuset.CPUSet){elems:(map[int]struct {})map[${ids.map((id) => `${id}:{}`).join(" ")}]}}`
