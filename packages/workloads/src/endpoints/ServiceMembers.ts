import { keyOf, type Pod, type Service } from "@rollcall/api"
import { isSelecting } from "./serviceEndpoints.ts"

/** Whether the pod has all labels of the selector. */
const matches = (selector: Readonly<Record<string, string>>, pod: Pod): boolean => {
  const { labels = {} } = pod.metadata
  for (const name in selector) if (!Object.hasOwn(labels, name) || labels[name] !== selector[name]) return false
  return true
}

/** An index of the pods that each service selects: a pod change only checks the services of its namespace. */
export class ServiceMembers {
  private readonly services = new Map<string, Map<string, Service>>()
  private readonly members = new Map<string, Map<string, Pod>>()

  /** Adds or updates a service. `pods` returns all pods of the namespace; it is called only if the selector is new. */
  setService(service: Service, pods: () => Iterable<Pod>): void {
    const key = keyOf(service)
    const namespace = service.metadata.namespace ?? "default"
    const inNamespace = this.services.get(namespace) ?? new Map<string, Service>()
    this.services.set(namespace, inNamespace)
    const before = inNamespace.get(key)
    if (!isSelecting(service)) {
      this.deleteService(service)
      return
    }
    inNamespace.set(key, service)
    // Compared by identity, which is fast: an equal copy only costs a needless search.
    if (before?.spec?.selector === service.spec?.selector && before !== undefined) return
    const selected = new Map<string, Pod>()
    for (const pod of pods()) if (matches(service.spec?.selector ?? {}, pod)) selected.set(keyOf(pod), pod)
    this.members.set(key, selected)
  }

  deleteService(service: Service): void {
    const key = keyOf(service)
    this.services.get(service.metadata.namespace ?? "default")?.delete(key)
    this.members.delete(key)
  }

  /** Adds or updates a pod; returns the keys of the services that select it or did before. */
  setPod(pod: Pod): ReadonlyArray<string> {
    const affected: Array<string> = []
    const podKey = keyOf(pod)
    for (const [key, { spec }] of this.services.get(pod.metadata.namespace ?? "default") ?? []) {
      const selected = this.members.get(key)
      if (matches(spec?.selector ?? {}, pod)) selected?.set(podKey, pod)
      else if (selected?.delete(podKey) !== true) continue
      affected.push(key)
    }
    return affected
  }

  /** Deletes a pod; returns the keys of the services that selected it. */
  deletePod(pod: Pod): ReadonlyArray<string> {
    const podKey = keyOf(pod)
    const affected: Array<string> = []
    for (const key of this.services.get(pod.metadata.namespace ?? "default")?.keys() ?? []) {
      if (this.members.get(key)?.delete(podKey) === true) affected.push(key)
    }
    return affected
  }

  /** The pods that a service selects, by the service's key. */
  podsOf(key: string): Iterable<Pod> {
    return this.members.get(key)?.values() ?? []
  }
}
