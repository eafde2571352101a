import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Hint } from "./Plugin.ts"

// Extension points after a node is selected: reserve resources for the pod, delay it, prepare its binding, observe it.

/** Why a pod is not bound to the selected node. */
export type Refusal =
  /** The pod is unschedulable, and waits for an event that the plugin's hint accepts. */
  | { readonly _tag: "Reject"; readonly reason: string }
  /** An error: the pod is retried after its back-off. */
  | { readonly _tag: "Error"; readonly message: string }

/**
 * Reserves what a pod needs on the selected node, so that later pods do not get it too. `reserve` is called in the
 * scheduling cycle and must be quick. `unreserve` is called when the pod is not bound after all: for all plugins of
 * the profile in reverse order, even if their `reserve` was not called, so it must tolerate that nothing is reserved.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework ReservePlugin.
 */
export interface ReservePlugin {
  readonly name: string
  /** Returns undefined if the resources are reserved. */
  readonly reserve: (pod: PodInfo, node: string, cache: SchedulingCache) => Refusal | undefined
  readonly unreserve: (pod: PodInfo, node: string, cache: SchedulingCache) => void
  readonly hint?: Hint
}

/** A pod that a plugin keeps waiting. Only the first call of `allow` or `reject` has an effect, while the pod waits. */
export interface WaitingPod {
  readonly pod: PodInfo
  readonly node: string
  /** Allows the pod for this plugin; the pod continues when all plugins have allowed it. */
  readonly allow: () => void
  /** Makes the pod unschedulable, with this reason. */
  readonly reject: (reason: string) => void
}

/** Makes a pod wait until the plugin allows or rejects it. After the timeout, at most 15 minutes, it is rejected. */
export interface Hold {
  readonly _tag: "Wait"
  readonly timeoutMs: number
  /** Receives the pod when its wait begins; not called if another plugin refuses the pod. */
  readonly hold: (waiting: WaitingPod) => void
}

/**
 * Allows a pod to be bound, refuses it, or makes it wait. While it waits, the cache counts the pod on the node, and
 * other pods are scheduled. Upstream: staging/src/k8s.io/kube-scheduler/framework PermitPlugin, WaitingPod.
 */
export interface PermitPlugin {
  readonly name: string
  /** Returns undefined if the pod is allowed. */
  readonly permit: (pod: PodInfo, node: string, cache: SchedulingCache) => Hold | Refusal | undefined
  readonly hint?: Hint
}

/** What a plugin can use while it prepares a binding. */
export interface BindingTools {
  /** The scheduler's own connection: its client-side rate limit applies. */
  readonly connection: Connection
  readonly timers: TimersShape
  readonly cache: SchedulingCache
}

/** The binding that a plugin has to prepare, and the callback for the result. */
export interface BindingTask extends BindingTools {
  readonly pod: PodInfo
  readonly node: string
  /** Records a normal Event about the pod, with the action Scheduling. */
  readonly note: (reason: string, message: string) => void
  /**
   * Must be called once: without an argument if the next plugin may run, or with the text of an error, after which the
   * pod is retried after its back-off.
   */
  readonly done: (problem?: string) => void
}

/**
 * Does asynchronous work before a pod can be bound. Upstream: staging/src/k8s.io/kube-scheduler/framework
 * PreBindPlugin.
 */
export interface PreBindPlugin {
  readonly name: string
  /** Whether the plugin has work for this pod. A plugin without this function has work for every pod. */
  readonly concerns?: (pod: PodInfo, node: string, cache: SchedulingCache) => boolean
  /**
   * Starts the work. Returns a function that cancels it: it is called when the pod is deleted or preempted, and `done` is
   * ignored from then on.
   */
  readonly preBind: (task: BindingTask) => (() => void) | undefined
}

/** Observes each pod that was bound. Upstream: staging/src/k8s.io/kube-scheduler/framework PostBindPlugin. */
export interface PostBindPlugin {
  readonly name: string
  readonly postBind: (pod: PodInfo, node: string, cache: SchedulingCache) => void
}

/** The plugins of a profile between the selection of a node and the binding, in order. */
export interface BindingPoints {
  readonly reserve: ReadonlyArray<ReservePlugin>
  readonly permit: ReadonlyArray<PermitPlugin>
  readonly preBind: ReadonlyArray<PreBindPlugin>
  readonly postBind: ReadonlyArray<PostBindPlugin>
}
