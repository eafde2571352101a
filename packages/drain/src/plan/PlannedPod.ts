import { getPodCondition, isPodTerminal, type KubeObject, type Node, type Pod, parseTime } from "@rollcall/api"
import { isHealthy } from "./BudgetLedger.ts"

/** What replaces a pod: nothing, nothing yet, or another pod of the plan. `why` completes "… because ". */
export type Successor =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "pod"; readonly pod: PlannedPod }

/** A pod in the plan's virtual time. Times are seconds since the drain began. */
export interface PlannedPod {
  /** The pod's current state. */
  pod: Pod
  /** Undefined until the pod is scheduled. */
  node: string | undefined
  /** Whether its budgets count it as healthy. */
  healthy: boolean
  isTerminating: boolean
  isGone: boolean
  /** When the pod was created, was scheduled, became ready, and ceased to exist; undefined until then. */
  madeAt: number | undefined
  placedAt: number | undefined
  readyAt: number | undefined
  goneAt: number | undefined
  /** Why the last attempt to schedule it failed; empty before. */
  message: string
  /** Undefined until the pod is deleted, and while its replacement depends on its removal. */
  successor: Successor | undefined
  /** `namespace/name` of the pod of the snapshot that it replaces, directly or through others. */
  readonly replaces: string | undefined
}

/** A pod at the start of the plan, or of its own life. */
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

/** Orders pods as the API's list does: by namespace, then by name. */
export const byName = (left: Pod, right: Pod): number => {
  const [a, b] = [left.metadata, right.metadata]
  if (a.namespace !== b.namespace) return (a.namespace ?? "") < (b.namespace ?? "") ? -1 : 1
  return a.name === b.name ? 0 : (a.name ?? "") < (b.name ?? "") ? -1 : 1
}

/** Whether the node's Ready condition is not True: its kubelet may not stop a pod that is deleted there. */
export const isUnreachable = (node: Node | undefined): boolean => {
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready")
  return ready !== undefined && ready.status !== "True"
}

/** Finalizers that their controllers remove without help. */
const SELF_REMOVED_FINALIZERS: ReadonlySet<string> = new Set(["batch.kubernetes.io/job-tracking"])
/**
 * A pod whose deletion timestamp is further past than this never terminates in the plan: a kubelet that responds would
 * have killed its containers by then. The allowance covers the slack of kubelet and API.
 */
const OVERDUE_SECONDS = 60

/** A phrase with the finalizers that hold the object even after its containers have stopped; undefined if none does. */
export const heldByFinalizers = ({ metadata }: Pod): string | undefined => {
  const finalizers = metadata.finalizers?.filter((finalizer) => !SELF_REMOVED_FINALIZERS.has(finalizer)) ?? []
  return finalizers.length === 0 ? undefined : `held by finalizer ${finalizers.join(", ")}`
}

/** A phrase that says why a deleted pod does not terminate; undefined if it does. */
export const explainStuckTermination = (pod: Pod, node: Node | undefined, nowMs: number): string | undefined => {
  const finalizers = heldByFinalizers(pod)
  if (finalizers !== undefined) return finalizers
  if (isUnreachable(node)) return `the kubelet of node ${pod.spec.nodeName ?? ""} does not respond`
  const deletedAt = pod.metadata.deletionTimestamp
  if (deletedAt === undefined) return undefined
  const overdue = Math.floor((nowMs - parseTime(deletedAt)) / 1000)
  return overdue > OVERDUE_SECONDS ? `its grace period expired ${overdue}s ago` : undefined
}

/**
 * Whether a replacement from the same template would become ready. A pod that runs without being ready is assumed not
 * to become ready on another node either. The others are no evidence: a pod on an unreachable node, a pending one, and a
 * terminated one that is recreated (it was evicted, or its node was shut down).
 */
export const wouldRun = (pod: Pod, node: Node | undefined): boolean =>
  isUnreachable(node) ||
  isPodTerminal(pod) ||
  getPodCondition(pod.status, "Ready")?.status !== "False" ||
  pod.status?.phase === "Pending"
