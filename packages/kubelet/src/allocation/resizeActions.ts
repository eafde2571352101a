import {
  type Amount,
  type Container,
  compareQuantity,
  type Pod,
  podLimits,
  type Quantity,
  signOf,
  value
} from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { type Allocation, type ResizeGates, resizableContainers, sameRequirements } from "./Allocation.ts"

/** What the containers of a pod need to get what is allocated. */
export interface ResizeActions {
  /** The containers that are restarted, by their resize policies. */
  readonly restarts: ReadonlyArray<Container>
  /** The names of those that are resized while they run. */
  readonly updates: ReadonlyArray<string>
}

/** Returns the limit and the request of a container; without a limit of its own it has that of the pod as a whole. */
const amountsOf = (
  { containers, pod }: Allocation,
  name: string,
  resource: "cpu" | "memory"
): ReadonlyArray<Quantity> => {
  const { limits, requests } = containers.get(name) ?? {}
  return [limits?.[resource] ?? pod?.limits?.[resource] ?? "0", requests?.[resource] ?? "0"]
}

/**
 * Returns what the running containers of a pod need. Only CPU and memory can change. Upstream:
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction.
 */
export const resizeActions = (
  allocated: Pod,
  to: Allocation,
  from: Allocation,
  isRunning: (name: string) => boolean,
  gates: ResizeGates
): ResizeActions => {
  const restarts: Array<Container> = []
  const updates: Array<string> = []
  for (const container of resizableContainers(allocated, gates)) {
    const { name, resizePolicy = [] } = container
    const isSame =
      sameRequirements(to.pod, from.pod) && sameRequirements(to.containers.get(name), from.containers.get(name))
    if (!isRunning(name) || isSame) continue
    const changed = (["cpu", "memory"] as const).filter((resource) => {
      const before = amountsOf(from, name, resource)
      return amountsOf(to, name, resource).some((amount, index) => compareQuantity(amount, before[index] ?? "0") !== 0)
    })
    const restarting = changed.some(
      (resource) =>
        resizePolicy.find(({ resourceName }) => resourceName === resource)?.restartPolicy === "RestartContainer"
    )
    if (restarting) restarts.push(container)
    else if (changed.length > 0) updates.push(name)
  }
  return { restarts, updates }
}

/** The limit of a pod's memory; undefined unless all its containers have one, or the pod as a whole. */
const memoryLimitOf = (pod: Pod): Amount | undefined => {
  const isLimited = ({ resources }: Container) => signOf(resources?.limits?.memory ?? "0") > 0
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  return pod.spec.resources?.limits?.memory !== undefined || all.every(isLimited) ? podLimits(pod).memory : undefined
}

/**
 * Returns why memory limits cannot be lowered: they would be below what is used. `from` is the pod with what its containers have. Upstream: kuberuntime_manager.go validateMemoryResizeAction.
 */
export const memoryLimitError = (
  to: Pod,
  from: Pod,
  names: ReadonlyArray<string>,
  usage: PodUsage = {}
): string | undefined => {
  const { containers = {}, memoryBytes } = usage
  const used = memoryBytes ?? Object.values(containers).reduce((sum, each) => sum + (each.memoryBytes ?? 0), 0)
  const errors: Array<string> = []
  const [limit, before] = [memoryLimitOf(to), memoryLimitOf(from)]
  if (limit !== undefined && (before === undefined || compareQuantity(limit, before) < 0) && used >= value(limit)) {
    errors.push(`attempting to set pod memory limit (${value(limit)}) below current usage (${used})`)
  }
  const limitsOf = ({ spec }: Pod) =>
    new Map(
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ name, resources }) => [
        name,
        resources?.limits?.memory ?? spec.resources?.limits?.memory ?? "0"
      ])
    )
  const [now, old] = [limitsOf(to), limitsOf(from)]
  for (const name of names) {
    const [wanted, had] = [now.get(name) ?? "0", old.get(name) ?? "0"]
    if (signOf(wanted) === 0 || (signOf(had) !== 0 && compareQuantity(wanted, had) >= 0)) continue
    if ((containers[name]?.memoryBytes ?? 0) < value(wanted)) continue
    // The usage in upstream's text is that of the whole pod.
    errors.push(`attempting to set container "${name}" memory limit (${value(wanted)}) below current usage (${used})`)
  }
  if (errors.length === 0) return undefined
  return `cannot decrease memory limits: ${errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`}`
}
