import {
  getControllerOf,
  type LabelSelector,
  makeSelector,
  type Pod,
  type Requirement,
  selectorOf
} from "@rollcall/api"
import { type LabelSelection, selectionOf } from "./LabelSelection.ts"

type Labels = Readonly<Record<string, string>>

/** Kinds of owners whose selectors make their pods spread. */
export type SpreadOwner = "ReplicaSet" | "StatefulSet" | "ReplicationController"

/** Services and workloads, as far as they say which pods belong together. */
export class Workloads {
  private readonly services = new Map<string, Map<string, Labels>>()
  private readonly owners = new Map<string, LabelSelector>()

  /** No selector: the service is gone, or selects nothing. */
  setService(namespace: string, name: string, selector: Labels | undefined): void {
    const inNamespace = this.services.get(namespace) ?? new Map<string, Labels>()
    this.services.set(namespace, inNamespace)
    if (selector === undefined) inNamespace.delete(name)
    else inNamespace.set(name, selector)
  }

  setOwner(kind: SpreadOwner, namespace: string, name: string, selector: LabelSelector | undefined): void {
    const key = `${kind}/${namespace}/${name}`
    if (selector === undefined) this.owners.delete(key)
    else this.owners.set(key, selector)
  }

  /**
   * The pods that this one should be spread among: all requirements of its services' and its owner's selectors. Undefined
   * when there are none. Upstream: pkg/scheduler/framework/plugins/helper/spread.go DefaultSelector.
   */
  siblingsOf(pod: Pod): LabelSelection | undefined {
    const namespace = pod.metadata.namespace ?? "default"
    const labels = pod.metadata.labels ?? {}
    const merged: Record<string, string> = {}
    for (const selector of this.services.get(namespace)?.values() ?? []) {
      if (Object.entries(selector).every(([name, value]) => labels[name] === value)) Object.assign(merged, selector)
    }
    const owner = getControllerOf(pod)
    const owned = owner && this.owners.get(`${owner.kind}/${namespace}/${owner.name}`)
    const requirements: ReadonlyArray<Requirement> = owned === undefined ? [] : (selectorOf(owned).requirements ?? [])
    const names = Object.keys(merged)
    if (names.length === 0) return requirements.length === 0 ? undefined : selectionOf(owned)
    return selectionOf(
      makeSelector([
        ...names.map((key): Requirement => ({ key, operator: "=", values: [merged[key] ?? ""] })),
        ...requirements
      ])
    )
  }
}
