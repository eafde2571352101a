import { getPodCondition, isPodTerminal, type KubeObject, type Node, type Pod, parseTime } from "@rollcall/api"
import { isHealthy } from "./BudgetLedger.ts"

/** What became of the place of a pod, in one run of a plan. */
export type Succession =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "pod"; readonly pod: PlannedPod }

/** A pod in the time of a plan. */
export interface PlannedPod {
  /** As it is now. */
  pod: Pod
  /** Undefined: it has none yet. */
  node: string | undefined
  /** Counted by its budgets. */
  healthy: boolean
  isTerminating: boolean
  isGone: boolean
  /** When it was made, came to its node, became ready, and went: undefined until then. */
  madeAt: number | undefined
  placedAt: number | undefined
  readyAt: number | undefined
  goneAt: number | undefined
  /** Why it has no node. */
  message: string
  succession: Succession | undefined
  /** The pod of the snapshot in whose place it came. */
  readonly replaces: string | undefined
}

export const plannedPod = (pod: Pod, replaces?: string): PlannedPod => ({
  pod,
  node: pod.spec.nodeName || undefined,
  healthy: isHealthy(pod),
  isTerminating: pod.metadata.deletionTimestamp !== undefined,
  isGone: false,
  madeAt: undefined,
  placedAt: undefined,
  readyAt: undefined,
  goneAt: undefined,
  message: "",
  succession: undefined,
  replaces
})

export const nameOf = ({ metadata }: Pick<KubeObject, "metadata">): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** As the API lists them. */
export const byName = (left: Pod, right: Pod): number => {
  const [a, b] = [left.metadata, right.metadata]
  if (a.namespace !== b.namespace) return (a.namespace ?? "") < (b.namespace ?? "") ? -1 : 1
  return a.name === b.name ? 0 : (a.name ?? "") < (b.name ?? "") ? -1 : 1
}

/** Its kubelet has not been heard of: what is deleted there stays. */
export const isSilent = (node: Node | undefined): boolean => {
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready")
  return ready !== undefined && ready.status !== "True"
}

/** Controllers that let go of their pods by themselves. */
const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(["batch.kubernetes.io/job-tracking"])
/** So long after its time a pod is not waited for in vain by chance. */
const OVERDUE_SECONDS = 60

/** What holds the object even when its containers have ended; undefined when nothing does. */
export const heldBy = ({ metadata }: Pod): string | undefined => {
  const held = metadata.finalizers?.filter((finalizer) => !KNOWN_FINALIZERS.has(finalizer)) ?? []
  return held.length === 0 ? undefined : `held by finalizer ${held.join(", ")}`
}

/** Why a pod that is told to go does not; undefined when it does. */
export const whyItStays = (pod: Pod, node: Node | undefined, nowMs: number): string | undefined => {
  const held = heldBy(pod)
  if (held !== undefined) return held
  if (isSilent(node)) return `the kubelet of node ${pod.spec.nodeName ?? ""} does not answer`
  const deletedAt = pod.metadata.deletionTimestamp
  if (deletedAt === undefined) return undefined
  const overdue = Math.floor((nowMs - parseTime(deletedAt)) / 1000)
  return overdue > OVERDUE_SECONDS ? `should have ended ${overdue}s ago` : undefined
}

/**
 * Whether another one made from the same template would run: one that does not run where it is would not do so elsewhere. One that has
 * ended, and is made again all the same, was evicted or its node stopped.
 */
export const wouldRun = (pod: Pod, node: Node | undefined): boolean =>
  isSilent(node) ||
  isPodTerminal(pod) ||
  getPodCondition(pod.status, "Ready")?.status !== "False" ||
  pod.status?.phase === "Pending"
