import { getControllerOf, type Pod } from "@rollcall/api"
import { ReplicaTally } from "./ReplicaTally.ts"

/** Pods are identified by UID if they have one. */
export const podKey = ({ metadata }: Pod): string => metadata.uid ?? `${metadata.namespace}/${metadata.name}`

/** Pods by the UID of their controller, and orphans by namespace. */
export class PodsByOwner {
  private readonly tallies = new Map<string, ReplicaTally>()
  private readonly retired = new Set<string>()
  private readonly orphans = new Map<string, Map<string, Pod>>()

  /** The pods of a controller; an empty tally if it has none. */
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

  set(before: Pod | undefined, pod: Pod): void {
    if (before !== undefined && getControllerOf(before)?.uid !== getControllerOf(pod)?.uid) this.delete(before)
    const owner = getControllerOf(pod)
    if (owner !== undefined) {
      if (owner.kind === "ReplicaSet") this.tally(owner.uid).set(podKey(pod), pod)
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
    if (tally?.size === 0 && this.retired.delete(owner.uid)) this.tallies.delete(owner.uid)
  }

  /** The controller was deleted: its tally is removed with its last pod. */
  retire(ownerUid: string): void {
    if (this.tallies.get(ownerUid)?.size === 0) this.tallies.delete(ownerUid)
    else this.retired.add(ownerUid)
  }
}
