import type { Pod } from "@rollcall/api"
import { claimedVolumes } from "../../references/claims.ts"
import type { Written, WrittenFiles } from "./ContainerFiles.ts"

/** The containers whose written files are kept. */
const MAX_CONTAINERS = 100

/** What commands have written, by kubelet, pod and container; a kubelet has none before the first command. */
const written = new WeakMap<object, Map<string, WrittenFiles>>()

/** Returns the files that commands have written in a run of a container, or, without one, in the volumes that a pod shares. */
export const writtenIn = (kubelet: object, { metadata }: Pod, run: string | undefined): WrittenFiles => {
  const key = `${metadata.uid}/${run ?? ""}`
  const containers = written.get(kubelet) ?? new Map<string, WrittenFiles>()
  written.set(kubelet, containers)
  const known = containers.get(key)
  if (known !== undefined) return known
  const [oldest] = containers.keys()
  if (containers.size >= MAX_CONTAINERS && oldest !== undefined) containers.delete(oldest)
  const made: WrittenFiles = new Map()
  containers.set(key, made)
  return made
}

/** What commands have written in folders of the machine, which outlives their pods. */
const machines = new WeakMap<object, WrittenFiles>()

export const writtenOnMachine = (kubelet: object): WrittenFiles => {
  const known = machines.get(kubelet) ?? new Map()
  machines.set(kubelet, known)
  return known
}

/** Returns what was written, as it is now for a pod: what is written later is not in it. */
const copyOf = (pod: Pod, { machine, ofClaim, own, shared }: Written): Written => {
  const claims = new Map<string, WrittenFiles>()
  for (const { claim } of claimedVolumes(pod)) {
    const key = `${pod.metadata.namespace}/${claim}`
    const files = ofClaim(key)
    if (files !== undefined) claims.set(key, new Map(files))
  }
  return {
    own: new Map(own),
    shared: new Map(shared),
    machine: new Map(machine),
    ofClaim: (claim) => claims.get(claim)
  }
}

/** The files that followed commands have begun with, by kubelet, pod and run. */
const begun = new WeakMap<object, Map<string, Written>>()

/** Keeps the files that the command of a container begins with, for its log: that is computed anew for each reader. */
export const keepBeginning = (kubelet: object, pod: Pod, run: string, written: Written): void => {
  const runs = begun.get(kubelet) ?? new Map<string, Written>()
  begun.set(kubelet, runs)
  const key = `${pod.metadata.uid}/${run}`
  const [oldest] = runs.keys()
  if (runs.size >= MAX_CONTAINERS && oldest !== undefined && !runs.has(key)) runs.delete(oldest)
  runs.set(key, copyOf(pod, written))
}

/** Returns a copy of the files that the command of a container has begun with; undefined if it was not followed. */
export const beginningOf = (kubelet: object, pod: Pod, run: string): Written | undefined => {
  const kept = begun.get(kubelet)?.get(`${pod.metadata.uid}/${run}`)
  return kept === undefined ? undefined : copyOf(pod, kept)
}
