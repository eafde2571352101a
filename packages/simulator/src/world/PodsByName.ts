import type { Pod } from "@rollcall/api"

/**
 * Pods by namespace and name. Two levels of maps save the key of both that each of a hundred thousand pods, and each of
 * their changes, would need. The pods of a first list are put into them at the first lookup: pods that only run are never
 * looked up.
 */
export class PodsByName {
  private readonly namespaces = new Map<string, Map<string, Pod>>()
  private unread: Array<Pod> = []

  /** Adds a pod of the first list, of which no other has the same name. */
  addListed(pod: Pod): void {
    this.unread.push(pod)
  }

  private readAll(): void {
    const { unread } = this
    if (unread.length === 0) return
    this.unread = []
    for (const pod of unread) this.set(pod.metadata.namespace ?? "", pod.metadata.name ?? "", pod)
  }

  get(namespace: string, name: string): Pod | undefined {
    this.readAll()
    return this.namespaces.get(namespace)?.get(name)
  }

  set(namespace: string, name: string, pod: Pod): void {
    this.readAll()
    const names = this.namespaces.get(namespace)
    if (names === undefined) this.namespaces.set(namespace, new Map([[name, pod]]))
    else names.set(name, pod)
  }

  delete(namespace: string, name: string): void {
    this.readAll()
    this.namespaces.get(namespace)?.delete(name)
  }

  *all(): Iterable<Pod> {
    this.readAll()
    for (const names of this.namespaces.values()) yield* names.values()
  }
}
