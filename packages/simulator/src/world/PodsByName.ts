import type { Pod } from "@rollcall/api"

/**
 * Pods by namespace and name. Two levels of maps save the key of both that each of a hundred thousand pods, and each of
 * their changes, would need.
 */
export class PodsByName {
  private readonly namespaces = new Map<string, Map<string, Pod>>()

  get(namespace: string, name: string): Pod | undefined {
    return this.namespaces.get(namespace)?.get(name)
  }

  set(namespace: string, name: string, pod: Pod): void {
    const names = this.namespaces.get(namespace)
    if (names === undefined) this.namespaces.set(namespace, new Map([[name, pod]]))
    else names.set(name, pod)
  }

  delete(namespace: string, name: string): void {
    this.namespaces.get(namespace)?.delete(name)
  }

  *all(): Iterable<Pod> {
    for (const names of this.namespaces.values()) yield* names.values()
  }
}
