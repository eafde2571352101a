import { keyOf, type Pod, type Service } from "@rollcall/api"
import { isSelecting } from "./serviceEndpoints.ts"

const matches = (selector: Readonly<Record<string, string>>, pod: Pod): boolean => {
  const { labels } = pod.metadata
  for (const name in selector) if (labels?.[name] !== selector[name]) return false
  return true
}

/** An index of the pods that each service selects: a pod change only checks the services of its namespace. */
export class ServiceMembers {
  private readonly services = new Map<string, Map<string, Service>>()
  private readonly members = new Map<string, Map<string, Pod>>()

  /** `pods`: all pods of the namespace, only used when the selector is new. */
  setService(service: Service, pods: () => Iterable<Pod>): void {
    const key = keyOf(service)
    const namespace = service.metadata.namespace ?? "default"
    const there = this.services.get(namespace) ?? new Map<string, Service>()
    this.services.set(namespace, there)
    const before = there.get(key)
    if (!isSelecting(service)) {
      this.deleteService(service)
      return
    }
    there.set(key, service)
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

  /** Adds or updates a pod; returns the keys of the services that select it or did. */
  setPod(pod: Pod): ReadonlyArray<string> {
    const concerned: Array<string> = []
    const podKey = keyOf(pod)
    for (const [key, { spec }] of this.services.get(pod.metadata.namespace ?? "default") ?? []) {
      const selected = this.members.get(key)
      if (matches(spec?.selector ?? {}, pod)) selected?.set(podKey, pod)
      else if (selected?.delete(podKey) !== true) continue
      concerned.push(key)
    }
    return concerned
  }

  deletePod(pod: Pod): ReadonlyArray<string> {
    const podKey = keyOf(pod)
    const concerned: Array<string> = []
    for (const key of this.services.get(pod.metadata.namespace ?? "default")?.keys() ?? []) {
      if (this.members.get(key)?.delete(podKey) === true) concerned.push(key)
    }
    return concerned
  }

  podsOf(key: string): Iterable<Pod> {
    return this.members.get(key)?.values() ?? []
  }
}
