import type { Pod } from "@rollcall/api"
import type { PodVerdict } from "../PodFilters.ts"

/**
 * When something happens, in seconds since the drain began: `expected` if pods stop and start as fast as they did so
 * far, `worst` if each takes as long as it may. An absent number means that it never happens.
 */
export interface Moment {
  readonly expected?: number
  readonly worst?: number
}

/** A budget's numbers at one moment. */
export interface BudgetNumbers {
  readonly namespace: string
  readonly name: string
  readonly expectedPods: number
  readonly desiredHealthy: number
  readonly currentHealthy: number
  readonly disruptionsAllowed: number
}

/** Why a pod blocks a drain. */
export type BlockReason =
  /** The pod is managed by a DaemonSet, and kubectl refuses to start. */
  | "daemon-set"
  /** The pod has an emptyDir volume, and kubectl refuses to start. */
  | "local-storage"
  /** The pod has no controller, and kubectl refuses to start. */
  | "unmanaged"
  /** The budget never permits the eviction. */
  | "budget"
  /** Several budgets select the pod, which the API answers with an error. */
  | "several-budgets"
  /** The API refuses the eviction for another reason. */
  | "refused"
  /** The pod does not terminate: its node's kubelet does not respond, or a finalizer holds the object. */
  | "terminating"
  /** The pod still existed when the timeout expired. */
  | "timeout"

/** Why a pod prevents the drain from completing. */
export interface Block {
  readonly reason: BlockReason
  /** The text of kubectl or of the API; empty if there is none. */
  readonly message: string
  /** The cause, and what would help. */
  readonly why?: string
  /** The budget that refuses, at that time. */
  readonly budget?: BudgetNumbers
}

/** The pod that replaces a drained one: `at` is when it is scheduled, `ready` when it becomes ready. */
export type Replacement =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "placed"; readonly node: string; readonly at: Moment; readonly ready: Moment }
  /** No node fits; `at` is when the pod is created, `message` kube-scheduler's. */
  | { readonly kind: "unplaceable"; readonly at: Moment; readonly message: string }

/** A pod that was on the node when the node's drain started. */
export interface PodDrain {
  readonly pod: Pod
  readonly verdict: PodVerdict
  /** How the pod is removed; absent if it stays. */
  readonly by?: "eviction" | "deletion"
  /** Why the pod may stay. */
  readonly staysBecause?: string
  /** When the API grants the eviction or deletion. */
  readonly leaves: Moment
  /** When the pod no longer exists. */
  readonly gone: Moment
  readonly graceSeconds: number
  /** Number of attempts that the budget is expected to refuse first. */
  readonly refusals: number
  /** The message of the first refusal, and the budget at that time. */
  readonly waitsFor?: { readonly message: string; readonly budget?: BudgetNumbers }
  /** Why the budget permits the eviction without counting it. */
  readonly uncounted?: string
  /** Why kubectl continues although the pod still exists. */
  readonly leftBehind?: string
  readonly block?: Block
  readonly replacement?: Replacement
}

/** How the drain of a node ends. */
export type NodeOutcome =
  | "drained"
  /** kubectl refuses before it evicts anything. */
  | "refused"
  /** kubectl waits forever. */
  | "stuck"
  /** The timeout expires first. */
  | "timed-out"
  /** The API refused an eviction permanently; the other pods were evicted. */
  | "failed"
  /** kubectl waits forever at an earlier node. */
  | "not-reached"

/** The drain of one node. */
export interface NodeDrain {
  readonly name: string
  /** Whether the node was cordoned in the snapshot already. */
  readonly wasCordoned: boolean
  readonly starts: Moment
  readonly ends: Moment
  readonly outcome: NodeOutcome
  /** The outcome if each pod takes as long as it may. */
  readonly worstOutcome: NodeOutcome
  /** The errors and warnings that kubectl prints. */
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  /** If kubectl refuses to start: the flags with which it would; empty if no flags help. */
  readonly wants: ReadonlyArray<string>
  /** In the order of the API's list, which is the order of the first attempts. */
  readonly pods: ReadonlyArray<PodDrain>
}

/** A pod on another node that is preempted for a replacement of higher priority. */
export interface Displaced {
  readonly pod: Pod
  readonly node: string
  /** Namespace and name of the pod whose replacement preempts it. */
  readonly for: string
  readonly at: Moment
  readonly replacement?: Replacement
}

/** The course of draining nodes one after another. */
export interface DrainPlan {
  readonly nodes: ReadonlyArray<NodeDrain>
  /** Pods on other nodes that are preempted for replacements. */
  readonly displaced: ReadonlyArray<Displaced>
  /** When kubectl is finished with the last node, drained or not. */
  readonly takes: Moment
  /** Whether any node is not drained. */
  readonly blocked: boolean
}
