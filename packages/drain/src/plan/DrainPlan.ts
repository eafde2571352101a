import type { Pod } from "@rollcall/api"
import type { PodVerdict } from "../PodFilters.ts"

/** Seconds since the drain began, if pods behave as they did so far, and if each takes the longest it may. Absent: never. */
export interface Moment {
  readonly expected?: number
  readonly worst?: number
}

/** A budget as it stood. */
export interface BudgetNumbers {
  readonly namespace: string
  readonly name: string
  readonly expectedPods: number
  readonly desiredHealthy: number
  readonly currentHealthy: number
  readonly disruptionsAllowed: number
}

export type BlockReason =
  /** What kubectl refuses to start with. */
  | "daemon-set"
  | "local-storage"
  | "unmanaged"
  /** The budget will not let it go, however long one waits. */
  | "budget"
  /** More than one budget selects it: the API answers with an error. */
  | "several-budgets"
  /** The API refuses for another reason. */
  | "refused"
  /** It does not end: its node's kubelet is silent, or something holds the object. */
  | "terminating"
  /** It had not gone when the timeout struck. */
  | "timeout"

/** Why a pod keeps a drain from its end. */
export interface Block {
  readonly reason: BlockReason
  /** In the words of kubectl or the API where they have any. */
  readonly message: string
  /** What is behind that, and what would help. */
  readonly why?: string
  readonly budget?: BudgetNumbers
}

/** What comes in the place of a pod that goes. */
export type Replacement =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "placed"; readonly node: string; readonly at: Moment; readonly ready: Moment }
  /** Why no node would do, as kube-scheduler words it. */
  | { readonly kind: "unplaceable"; readonly at: Moment; readonly message: string }

/** A pod that was on a node when its turn came. */
export interface PodDrain {
  readonly pod: Pod
  readonly verdict: PodVerdict
  /** Absent: it stays. */
  readonly by?: "eviction" | "deletion"
  /** Why it may stay. */
  readonly staysBecause?: string
  /** When the request is granted. */
  readonly leaves: Moment
  readonly gone: Moment
  readonly graceSeconds: number
  /** Attempts that its budget refuses before, as expected. */
  readonly refusals: number
  /** What the first refusal says, and the budget then. */
  readonly waitsFor?: { readonly message: string; readonly budget?: BudgetNumbers }
  /** Why its budget lets it go without counting it. */
  readonly uncounted?: string
  /** Why kubectl goes on although it is still there. */
  readonly leftBehind?: string
  readonly block?: Block
  readonly replacement?: Replacement
}

export type NodeOutcome =
  | "drained"
  /** Something stands in the way before anything is evicted. */
  | "refused"
  /** kubectl waits without end. */
  | "stuck"
  | "timed-out"
  /** The API refused an eviction for good; the others went. */
  | "failed"
  /** kubectl waits at an earlier node without end. */
  | "not-reached"

export interface NodeDrain {
  readonly name: string
  readonly wasCordoned: boolean
  readonly starts: Moment
  readonly ends: Moment
  readonly outcome: NodeOutcome
  readonly worstOutcome: NodeOutcome
  /** In kubectl's words. */
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  /** The flags with which kubectl would start, where it refuses; none when no flag helps. */
  readonly wants: ReadonlyArray<string>
  /** In the order of the API's list, which is the order of the first attempts. */
  readonly pods: ReadonlyArray<PodDrain>
}

/** A pod of another node that has to make room for a replacement of higher priority. */
export interface Displaced {
  readonly pod: Pod
  readonly node: string
  /** Namespace and name of the pod whose replacement wants the room. */
  readonly for: string
  readonly at: Moment
  readonly replacement?: Replacement
}

/** What draining nodes one after another would do. */
export interface DrainPlan {
  readonly nodes: ReadonlyArray<NodeDrain>
  readonly displaced: ReadonlyArray<Displaced>
  /** Until the last node is done with, drained or not. */
  readonly takes: Moment
  readonly blocked: boolean
}
