import { getPodCondition, isPodTerminal, type KubeObject, type Node, type Pod, parseTime } from "@rollcall/api"
import { isHealthy } from "./BudgetLedger.ts"

/** What replaces a pod, in one run of a plan. */
export type Successor =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "pod"; readonly pod: PlannedPod }

/** A pod in the plan's virtual time. */
export interface PlannedPod {
  /** The pod's current state. */
  pod: Pod
  /** Undefined: not scheduled yet. */
  node: string | undefined
  /** Whether its budgets count it as healthy. */
  healthy: boolean
  isTerminating: boolean
  isGone: boolean
  /** When the pod was created, was scheduled, became ready, and was deleted; undefined until then. */
  madeAt: number | undefined
  placedAt: number | undefined
  readyAt: number | undefined
  goneAt: number | undefined
  /** Why it cannot be scheduled. */
  message: string
  successor: Successor | undefined
  /** The pod of the snapshot that it replaces. */
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
  successor: undefined,
  replaces
})

export const nameOf = ({ metadata }: Pick<KubeObject, "metadata">): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** The order of the API's list. */
export const byName = (left: Pod, right: Pod): number => {
  const [a, b] = [left.metadata, right.metadata]
  if (a.namespace !== b.namespace) return (a.namespace ?? "") < (b.namespace ?? "") ? -1 : 1
  return a.name === b.name ? 0 : (a.name ?? "") < (b.name ?? "") ? -1 : 1
}

/** Whether the node's kubelet does not report: a pod that is deleted there keeps terminating. */
export const isUnreachable = (node: Node | undefined): boolean => {
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready")
  return ready !== undefined && ready.status !== "True"
}

/** Finalizers that their controllers remove without help. */
const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(["batch.kubernetes.io/job-tracking"])
/** A pod whose deletion timestamp is older than this is taken to be stuck, not slow. */
const OVERDUE_SECONDS = 60

/** The finalizers that hold the object even after its containers have stopped; undefined without any. */
export const heldByFinalizers = ({ metadata }: Pod): string | undefined => {
  const held = metadata.finalizers?.filter((finalizer) => !KNOWN_FINALIZERS.has(finalizer)) ?? []
  return held.length === 0 ? undefined : `held by finalizer ${held.join(", ")}`
}

/** Why a deleted pod does not terminate; undefined when it does. */
export const explainStuckTermination = (pod: Pod, node: Node | undefined, nowMs: number): string | undefined => {
  const held = heldByFinalizers(pod)
  if (held !== undefined) return held
  if (isUnreachable(node)) return `the kubelet of node ${pod.spec.nodeName ?? ""} does not respond`
  const deletedAt = pod.metadata.deletionTimestamp
  if (deletedAt === undefined) return undefined
  const overdue = Math.floor((nowMs - parseTime(deletedAt)) / 1000)
  return overdue > OVERDUE_SECONDS ? `its grace period expired ${overdue}s ago` : undefined
}

/**
 * Whether a replacement from the same template would become ready: a pod that is not ready where it is would not be
 * elsewhere. A pod that has terminated, yet is recreated, was evicted or its node was shut down.
 */
export const wouldRun = (pod: Pod, node: Node | undefined): boolean =>
  isUnreachable(node) ||
  isPodTerminal(pod) ||
  getPodCondition(pod.status, "Ready")?.status !== "False" ||
  pod.status?.phase === "Pending"
