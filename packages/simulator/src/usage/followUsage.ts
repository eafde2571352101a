import { isPodReady, type Pod } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import { annotationBehaviour } from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { amountsAt, behaviourWith, isOf, takesShare } from "./podUsage.ts"
import type { PlannedUsage } from "./UsageSpec.ts"

export interface FollowUsageOptions {
  readonly usage: ReadonlyArray<PlannedUsage>
  readonly timers: TimersShape
  /** Time 0 on the timers. */
  readonly startMs: number
  /** Registers a listener for every change of the pods; a new one has no previous state, a deleted one no next state. */
  readonly listen: (changed: (previous: Pod | undefined, next: Pod | undefined) => void) => void
  /** An administrator's client. */
  readonly cluster: Pick<ClusterShape, "patch">
  /** Carries a patch out; an old one that is repeated does nothing. */
  readonly send: (patch: Effect.Effect<unknown, ClusterError>) => void
  /** How long changes of the ready pods are gathered before their shares are computed; absent if each counts at once. */
  readonly gatherMs?: number
}

/** A pod that uses what the scenario says. */
interface FollowedPod {
  pod: Pod
  /** The behaviour that it was created with. */
  readonly given: string | undefined
  /** The behaviour that it was last given here. */
  sent: string | undefined
}

/** Keeps the behaviour of pods so that they use what the scenario says, as an operator would by their annotation. */
class UsageFollower {
  private readonly options: FollowUsageOptions
  private readonly pods = new Map<string, FollowedPod>()
  /** The groups whose shares are about to be computed. */
  private readonly gathering = new Set<PlannedUsage>()

  constructor(options: FollowUsageOptions) {
    this.options = options
  }

  start(): void {
    const { listen, startMs, timers, usage } = this.options
    listen((previous, next) => this.podChanged(previous, next))
    for (const group of usage) {
      const times = new Set(Object.values(group.steps).flatMap((steps) => steps.map(({ atMs }) => atMs)))
      for (const atMs of times) if (atMs > 0) timers.at(startMs + atMs, () => this.updateGroup(group))
    }
  }

  private podChanged(previous: Pod | undefined, next: Pod | undefined): void {
    const pod = next ?? previous
    const groups = pod === undefined ? [] : this.groupsOf(pod)
    if (pod === undefined || groups.length === 0) return
    const { annotations, uid = "" } = pod.metadata
    const known = this.pods.get(uid)
    if (next === undefined) this.pods.delete(uid)
    else if (known !== undefined) known.pod = next
    else this.pods.set(uid, { pod: next, given: annotations?.[annotationBehaviour], sent: undefined })
    const sharesChanged = previous === undefined || next === undefined || takesShare(previous) !== takesShare(next)
    if (sharesChanged) for (const group of groups) if (group.isShared) this.sharesChanged(group)
    if (known === undefined && next !== undefined) this.update(uid)
  }

  private groupsOf(pod: Pod): ReadonlyArray<PlannedUsage> {
    return this.options.usage.filter((group) => isOf(pod, group))
  }

  private sharesChanged(group: PlannedUsage): void {
    const { gatherMs, timers } = this.options
    if (gatherMs === undefined) this.updateGroup(group)
    else if (!this.gathering.has(group)) {
      this.gathering.add(group)
      timers.after(gatherMs, () => {
        this.gathering.delete(group)
        this.updateGroup(group)
      })
    }
  }

  private updateGroup(group: PlannedUsage): void {
    for (const [uid, { pod }] of this.pods) if (isOf(pod, group)) this.update(uid)
  }

  private update(uid: string): void {
    const followed = this.pods.get(uid)
    if (followed === undefined || followed.pod.metadata.deletionTimestamp !== undefined) return
    const { cluster, send, startMs, timers } = this.options
    const { given, pod } = followed
    const nowMs = timers.now() - startMs
    const used = this.groupsOf(pod)
      .filter(({ isShared }) => !isShared || takesShare(pod))
      .map((group) => ({ container: group.container, amounts: amountsAt(group, nowMs, this.sharing(group)) }))
      .filter(({ amounts }) => Object.keys(amounts).length > 0)
    const text = used.length === 0 ? given : behaviourWith(given, used)
    if (text === (followed.sent ?? given)) return
    followed.sent = text
    const { name = "", namespace = "" } = pod.metadata
    const body = { metadata: { annotations: { [annotationBehaviour]: text ?? null } } }
    const patch = cluster.patch("Pod", { name, namespace }, "merge", body)
    send(Effect.suspend(() => (followed.sent === text ? Effect.asVoid(patch) : Effect.void)))
  }

  private sharing(group: PlannedUsage): number {
    const ready = [...this.pods.values()].filter(({ pod }) => isOf(pod, group) && takesShare(pod) && isPodReady(pod))
    return Math.max(1, ready.length)
  }
}

export const followUsage = (options: FollowUsageOptions): void => {
  if (options.usage.length > 0) new UsageFollower(options).start()
}
