import { getControllerOf, type Pod } from "@rollcall/api"
import { ReplicaTally } from "./ReplicaTally.ts"
import type { SetKind } from "./SetKind.ts"

/** Identifies a pod: its UID, if it has one. */
export const podKey = ({ metadata }: Pod): string => metadata.uid ?? `${metadata.namespace}/${metadata.name}`

/** Pods by the UID of their controller, and orphans by namespace. */
export class PodsByOwner {
  private readonly kind: SetKind
  private readonly tallies = new Map<string, ReplicaTally>()
  /** UIDs of deleted controllers that still have pods. */
  private readonly deletedOwners = new Set<string>()
  private readonly orphans = new Map<string, Map<string, Pod>>()

  constructor(kind: SetKind) {
    this.kind = kind
  }

  /** The tally of a controller's pods; an empty one if it has none. */
  tally(ownerUid: string): ReplicaTally {
    const known = this.tallies.get(ownerUid)
    if (known !== undefined) return known
    const tally = new ReplicaTally()
    this.tallies.set(ownerUid, tally)
    return tally
  }

  orphansIn(namespace: string): Iterable<Pod> {
    return this.orphans.get(namespace)?.values() ?? []
  }

  /** Sets the current version of a pod; `before` is the one before, if any. */
  set(before: Pod | undefined, pod: Pod): void {
    if (before !== undefined && getControllerOf(before)?.uid !== getControllerOf(pod)?.uid) this.delete(before)
    const owner = getControllerOf(pod)
    if (owner !== undefined) {
      if (owner.kind === this.kind) this.tally(owner.uid).set(podKey(pod), pod)
      return
    }
    const namespace = pod.metadata.namespace ?? "default"
    const inNamespace = this.orphans.get(namespace) ?? new Map<string, Pod>()
    this.orphans.set(namespace, inNamespace)
    inNamespace.set(podKey(pod), pod)
  }

  delete(pod: Pod): void {
    const owner = getControllerOf(pod)
    if (owner === undefined) {
      this.orphans.get(pod.metadata.namespace ?? "default")?.delete(podKey(pod))
      return
    }
    const tally = this.tallies.get(owner.uid)
    tally?.delete(podKey(pod))
    if (tally?.size === 0 && this.deletedOwners.delete(owner.uid)) this.tallies.delete(owner.uid)
  }

  /** Must be called when a controller was deleted: its tally is then removed with its last pod. */
  ownerDeleted(ownerUid: string): void {
    if (this.tallies.get(ownerUid)?.size === 0) this.tallies.delete(ownerUid)
    else this.deletedOwners.add(ownerUid)
  }
}
