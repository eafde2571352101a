import type { Pod } from "@rollcall/api"
import type { WrittenFiles } from "./ContainerFiles.ts"

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
