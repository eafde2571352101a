import { type ContainerStatus, milliValue, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { behaviourOf, behaviourText, bytesOf, type PodBehaviour, parseBehaviour } from "../runtime/PodBehaviour.ts"

/** What a container uses now. */
export interface ContainerUsage {
  readonly name: string
  readonly cpuNanoCores: number
  readonly memoryBytes: number
}

/** What an idle container uses, if its behaviour says nothing: a pod that runs is never without any. */
export const idleUsage: Omit<ContainerUsage, "name"> = { cpuNanoCores: 1_000_000, memoryBytes: 4 * 1024 * 1024 }
const NANO_PER_MILLI = 1_000_000

/** Returns the behaviour that a pod's annotation has now; undefined if it has none, or a mistake. */
const presentBehaviour = (pod: Pod): PodBehaviour | undefined => {
  const text = behaviourText(pod)
  if (text === undefined) return undefined
  const parsed = parseBehaviour(text)
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

const nanoCoresOf = (behaviour: PodBehaviour | undefined, name: string): number | undefined => {
  const { cpu } = behaviourOf(behaviour, name) ?? {}
  return cpu === undefined ? undefined : milliValue(cpu) * NANO_PER_MILLI
}

/**
 * Returns what the running containers of a modelled pod use, by the behaviour that its annotation has now; the annotation
 * of a running pod may be changed.
 */
export const modelledUsage = (pod: Pod): ReadonlyArray<ContainerUsage> => {
  const behaviour = presentBehaviour(pod)
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const isRunning = ({ state }: ContainerStatus) => state?.running !== undefined
  return [...initContainerStatuses, ...containerStatuses].filter(isRunning).map(({ name }) => {
    const { memory } = behaviourOf(behaviour, name) ?? {}
    return {
      name,
      cpuNanoCores: nanoCoresOf(behaviour, name) ?? idleUsage.cpuNanoCores,
      memoryBytes: memory === undefined ? idleUsage.memoryBytes : bytesOf(memory)
    }
  })
}

/** Returns the nanocores that each container of a pod uses, as far as its behaviour says so. */
export const modelledCores = (pod: Pod): ((container: string) => number | undefined) => {
  const behaviour = presentBehaviour(pod)
  return (name) => nanoCoresOf(behaviour, name)
}

/** Whether the usage of a pod says what a container uses of memory, by itself or within the whole pod. */
export const statesMemory = (usage: PodUsage | undefined, container: string): boolean =>
  usage !== undefined &&
  (usage.containers === undefined
    ? usage.memoryBytes !== undefined
    : usage.containers[container]?.memoryBytes !== undefined)

/** Returns the memory that a pod uses, in which running containers whose usage is not stated count as idle. */
export const withIdleMemory = (usage: PodUsage | undefined, running: ReadonlyArray<string>): PodUsage => {
  const idle = running.filter((name) => !statesMemory(usage, name))
  if (idle.length === 0) return usage ?? {}
  const { memoryBytes: idleBytes } = idleUsage
  const { containers = {}, memoryBytes } = usage ?? {}
  const stated = memoryBytes ?? Object.values(containers).reduce((sum, each) => sum + (each.memoryBytes ?? 0), 0)
  return {
    ...usage,
    memoryBytes: stated + idle.length * idleBytes,
    containers: {
      ...containers,
      ...Object.fromEntries(idle.map((name) => [name, { ...containers[name], memoryBytes: idleBytes }]))
    }
  }
}
