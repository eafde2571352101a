import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Hint } from "./Plugin.ts"

// What plugins may do once a node is chosen: hold something for the pod, keep it waiting, prepare its binding, hear of it.

/** Why a pod does not get the node that was chosen for it. */
export type Refusal =
  /** It is unschedulable, and waits until something happens that the plugin's hint finds helpful. */
  | { readonly _tag: "Reject"; readonly reason: string }
  /** Something is wrong: it is tried again after its back-off. */
  | { readonly _tag: "Error"; readonly message: string }

/**
 * Holds what a pod needs on the node that was chosen for it, so that no later pod is given it too. `reserve` is called in the
 * scheduling cycle and must be quick. `unreserve` is called when the pod does not get there after all: of all plugins of the
 * profile in reverse order, whether their `reserve` was called or not, so it must do no harm when there is nothing to give back.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework ReservePlugin.
 */
export interface ReservePlugin {
  readonly name: string
  readonly reserve: (pod: PodInfo, node: string, cache: SchedulingCache) => Refusal | undefined
  readonly unreserve: (pod: PodInfo, node: string, cache: SchedulingCache) => void
  readonly hint?: Hint
}

/** A pod that a plugin keeps waiting; each of the two has an effect once, and none when the wait is over. */
export interface HeldPod {
  readonly pod: PodInfo
  readonly node: string
  /** The plugin has nothing against it any more; it goes on when no other plugin has. */
  readonly allow: () => void
  readonly reject: (reason: string) => void
}

/** The pod waits until the plugin lets it go or refuses it; after the time, at most 15 minutes, it is refused. */
export interface Hold {
  readonly _tag: "Wait"
  readonly timeoutMs: number
  /** Given the pod when no other plugin has refused it. */
  readonly hold: (held: HeldPod) => void
}

/**
 * Lets a pod go on to its node, refuses it, or keeps it waiting. The pod counts on the node meanwhile, and others are scheduled.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework PermitPlugin, WaitingPod.
 */
export interface PermitPlugin {
  readonly name: string
  /** Undefined: the pod may go on. */
  readonly permit: (pod: PodInfo, node: string, cache: SchedulingCache) => Hold | Refusal | undefined
  readonly hint?: Hint
}

/** What a plugin works with while a binding is prepared. */
export interface BindingTools {
  /** The scheduler's own, client limits included. */
  readonly connection: Connection
  readonly timers: TimersShape
  readonly cache: SchedulingCache
}

/** What a plugin is to prepare, and whom to tell. */
export interface BindingTask extends BindingTools {
  readonly pod: PodInfo
  readonly node: string
  /** To be called once: with nothing, the next plugin has its turn; with what went wrong, the pod is tried again after its back-off. */
  readonly done: (problem?: string) => void
}

/**
 * Does what must be done before a pod can be bound, and may take its time about it.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework PreBindPlugin.
 */
export interface PreBindPlugin {
  readonly name: string
  /** False: there is nothing to do for this pod. A plugin without it has something to do for each. */
  readonly concerns?: (pod: PodInfo, node: string, cache: SchedulingCache) => boolean
  /** Returns what ends the work where it is, when the pod is gone or has to make room: `done` is of no account from then on. */
  readonly preBind: (task: BindingTask) => (() => void) | undefined
}

/** Hears of each pod that was bound. Upstream: staging/src/k8s.io/kube-scheduler/framework PostBindPlugin. */
export interface PostBindPlugin {
  readonly name: string
  readonly postBind: (pod: PodInfo, node: string, cache: SchedulingCache) => void
}

/** The plugins of a profile that have a say between the choice of a node and the binding, in order. */
export interface BindingPoints {
  readonly reserve: ReadonlyArray<ReservePlugin>
  readonly permit: ReadonlyArray<PermitPlugin>
  readonly preBind: ReadonlyArray<PreBindPlugin>
  readonly postBind: ReadonlyArray<PostBindPlugin>
}
