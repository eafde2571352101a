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

/** Owners whose selectors determine the default spreading of their pods. */
export type SpreadOwner = "ReplicaSet" | "StatefulSet" | "ReplicationController"

/** The selectors of services and workloads. */
export class Workloads {
  private readonly services = new Map<string, Map<string, Labels>>()
  private readonly owners = new Map<string, LabelSelector>()

  /** Without a selector: the service was deleted, or selects nothing. */
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
   * The pods among which this one is spread: all requirements of its services' and its owner's selectors. Undefined
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
