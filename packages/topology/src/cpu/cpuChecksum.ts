import { checksumOf } from "../internal/checksum.ts"

export type Texts = Readonly<Record<string, string>>
export type NestedTexts = Readonly<Record<string, Texts>>

/** What a checkpoint file says, beside its checksum. */
export interface CheckpointTexts {
  readonly policyName: string
  readonly shared: string
  /** By pod uid and container name. */
  readonly entries: NestedTexts
  /** By pod uid, for a kubelet that manages pods as a whole. */
  readonly podEntries: Texts | undefined
}

/**
 * The checksum that a kubelet writes, over a dump of its Go structure: what this model writes a kubelet reads, and the other way round. Only
 * that of files with pod entries, whose feature is in alpha, is the model's own. Upstream: pkg/kubelet/checkpointmanager/checksum,
 * pkg/util/hash.
 */
export const cpuChecksum = ({ entries, podEntries, policyName, shared }: CheckpointTexts): number => {
  const pods = podEntries === undefined ? "" : ` PodEntries:(state.PodCPUAssignments)${dumpTexts(podEntries)}`
  return overStruct(policyName, shared, `Entries:(map[string]map[string]string)${dump(entries, dumpTexts)}${pods}`)
}

/** That of files of the first format, which went by container id. */
export const firstCpuChecksum = (policyName: string, shared: string, entries: Texts): number =>
  overStruct(policyName, shared, `Entries:(map[string]string)${dumpTexts(entries)}`)

const overStruct = (policyName: string, shared: string, entries: string): number => {
  const head = `PolicyName:(string)${policyName} DefaultCPUSet:(string)${shared}`
  return checksumOf(`(*state.CPUManagerCheckpoint){${head} ${entries} Checksum:(checksum.Checksum)0}`)
}

/** A map as Go prints it: by key. */
const dump = <V>(record: Readonly<Record<string, V>>, print: (value: V) => string): string => {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${entries.map(([key, value]) => `${key}:${print(value)}`).join(" ")}]`
}

const dumpTexts = (record: Texts): string => dump(record, String)
