import { isPodReady, milliValue, type Pod } from "@rollcall/api"
import { bytesOf, type ContainerBehaviour, type PodBehaviour, parseBehaviour } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import { type PlannedUsage, type UsedResource, usedResources } from "./UsageSpec.ts"

/** Whether a pod is one of a group that uses this. */
export const isOf = ({ metadata }: Pod, { labels, namespace }: PlannedUsage): boolean =>
  metadata.namespace === namespace && Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)

/** Whether a pod takes its share of what a group uses together. */
export const takesShare = (pod: Pod): boolean => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined

/** Returns one of so many equal shares of an amount; at least one millicore or byte is rounded to. */
const share = (resource: UsedResource, amount: string, count: number): string =>
  resource === "cpu" ? `${Math.round(milliValue(amount) / count)}m` : String(Math.round(bytesOf(amount) / count))

/** Returns what each pod of a group uses at a time; nothing before the first amount. `sharing` pods share it. */
export const amountsAt = ({ isShared, steps }: PlannedUsage, nowMs: number, sharing: number): ContainerBehaviour => {
  const found: Partial<Record<UsedResource, string>> = {}
  for (const resource of usedResources) {
    const amount = steps[resource]?.findLast(({ atMs }) => atMs <= nowMs)?.amount
    if (amount !== undefined) found[resource] = isShared ? share(resource, amount, sharing) : amount
  }
  return found
}

/** What one usage makes a pod use. */
export interface UsedAmounts {
  readonly container: string | undefined
  readonly amounts: ContainerBehaviour
}

const withAmounts = (behaviour: PodBehaviour, { amounts, container }: UsedAmounts): PodBehaviour => {
  if (container !== undefined) {
    return { ...behaviour, [container]: { ...(behaviour[container] ?? behaviour["*"]), ...amounts } }
  }
  const names = [...new Set([...Object.keys(behaviour), "*"])]
  return Object.fromEntries(names.map((name) => [name, { ...behaviour[name], ...amounts }]))
}

/**
 * Returns the text of a pod's behaviour with what its containers use. `given` is that of the pod itself: one with a
 * mistake stays as it is.
 */
export const behaviourWith = (given: string | undefined, used: ReadonlyArray<UsedAmounts>): string | undefined => {
  const own = parseBehaviour(given ?? "{}")
  if (Result.isFailure(own)) return given
  return JSON.stringify(used.reduce(withAmounts, own.success))
}
