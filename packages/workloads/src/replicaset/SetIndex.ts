import { getControllerOf, matchesLabelSelector, type Pod, type ReplicaSet } from "@rollcall/api"
import { splitKey } from "@rollcall/cluster"
import type { SetKind } from "./SetKind.ts"

/** The existing ReplicaSets, by namespace and name. */
export class SetIndex {
  private readonly kind: SetKind
  private readonly byNamespace = new Map<string, Map<string, ReplicaSet>>()

  constructor(kind: SetKind) {
    this.kind = kind
  }

  set(replicaSet: ReplicaSet): void {
    const { name = "", namespace = "default" } = replicaSet.metadata
    const inNamespace = this.byNamespace.get(namespace) ?? new Map<string, ReplicaSet>()
    this.byNamespace.set(namespace, inNamespace)
    inNamespace.set(name, replicaSet)
  }

  delete({ metadata: { name = "", namespace = "default" } }: ReplicaSet): void {
    this.byNamespace.get(namespace)?.delete(name)
  }

  find(key: string): ReplicaSet | undefined {
    const { name, namespace } = splitKey(key)
    return this.byNamespace.get(namespace)?.get(name)
  }

  /**
   * The present version of a set, which its Deployment may have scaled while pods were created or deleted. Upstream
   * writes a status to the version from before that, and to the current one after the conflict.
   */
  newest(replicaSet: ReplicaSet): ReplicaSet {
    const { name = "", namespace = "default", uid } = replicaSet.metadata
    const found = this.byNamespace.get(namespace)?.get(name)
    return found !== undefined && found.metadata.uid === uid ? found : replicaSet
  }

  /** The set that controls the pod; undefined if it does not exist, even if a new set has its name. */
  ownerOf(pod: Pod): ReplicaSet | undefined {
    const owner = getControllerOf(pod)
    if (owner?.kind !== this.kind) return undefined
    const found = this.byNamespace.get(pod.metadata.namespace ?? "default")?.get(owner.name)
    return found?.metadata.uid === owner.uid ? found : undefined
  }

  /** The sets in the pod's namespace that select it. */
  selecting(pod: Pod): ReadonlyArray<ReplicaSet> {
    const sets = [...(this.byNamespace.get(pod.metadata.namespace ?? "default")?.values() ?? [])]
    return sets.filter(({ spec }) => matchesLabelSelector(spec.selector, pod.metadata.labels))
  }

  /** The set and all others with the same controller: the revisions of a Deployment. */
  siblings(replicaSet: ReplicaSet): ReadonlyArray<ReplicaSet> {
    const owner = getControllerOf(replicaSet)?.uid
    if (owner === undefined) return [replicaSet]
    const sets = [...(this.byNamespace.get(replicaSet.metadata.namespace ?? "default")?.values() ?? [])]
    return sets.filter((other) => getControllerOf(other)?.uid === owner)
  }
}
