import type { Pod } from "@rollcall/api"
import type { PodVerdict } from "../PodFilters.ts"

/**
 * Seconds since the drain began. `expected`: pods behave as they did so far; `worst`: each takes as long as it may.
 * Absent: never.
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

export type BlockReason =
  /** The pod is managed by a DaemonSet, and kubectl refuses to start. */
  | "daemon-set"
  | "local-storage"
  | "unmanaged"
  /** The budget never permits the eviction. */
  | "budget"
  /** More than one budget selects the pod: the API answers with an error. */
  | "several-budgets"
  /** The API refuses for another reason. */
  | "refused"
  /** The pod does not terminate: its node's kubelet does not respond, or a finalizer holds the object. */
  | "terminating"
  /** The pod still existed when the timeout expired. */
  | "timeout"

/** Why a pod prevents the drain from completing. */
export interface Block {
  readonly reason: BlockReason
  /** The text of kubectl or of the API, if there is one. */
  readonly message: string
  /** The cause, and what would help. */
  readonly why?: string
  readonly budget?: BudgetNumbers
}

/** The pod that replaces a drained one. */
export type Replacement =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "placed"; readonly node: string; readonly at: Moment; readonly ready: Moment }
  /** Why no node fits, as kube-scheduler words it. */
  | { readonly kind: "unplaceable"; readonly at: Moment; readonly message: string }

/** A pod that was on the node when the node's drain started. */
export interface PodDrain {
  readonly pod: Pod
  readonly verdict: PodVerdict
  /** Absent: the pod stays. */
  readonly by?: "eviction" | "deletion"
  /** Why the pod may stay. */
  readonly staysBecause?: string
  /** When the request is granted. */
  readonly leaves: Moment
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

export type NodeOutcome =
  | "drained"
  /** kubectl refuses before it evicts anything. */
  | "refused"
  /** kubectl waits forever. */
  | "stuck"
  | "timed-out"
  /** The API refused an eviction permanently; the other pods were evicted. */
  | "failed"
  /** kubectl waits forever at an earlier node. */
  | "not-reached"

export interface NodeDrain {
  readonly name: string
  readonly wasCordoned: boolean
  readonly starts: Moment
  readonly ends: Moment
  readonly outcome: NodeOutcome
  readonly worstOutcome: NodeOutcome
  /** The messages of kubectl. */
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  /** The flags with which kubectl would start, where it refuses; empty when no flag helps. */
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
  readonly displaced: ReadonlyArray<Displaced>
  /** Until kubectl is finished with the last node, drained or not. */
  readonly takes: Moment
  readonly blocked: boolean
}
