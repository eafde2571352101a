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

/** Kinds whose selectors determine the default spreading of their pods. */
export type SpreadOwner = "ReplicaSet" | "StatefulSet" | "ReplicationController"

/** The selectors of Services, and of the owners of pods. */
export class Workloads {
  private readonly services = new Map<string, Map<string, Labels>>()
  private readonly owners = new Map<string, LabelSelector>()

  /** Sets the selector of a Service; undefined if it was deleted, or has none. */
  setService(namespace: string, name: string, selector: Labels | undefined): void {
    const inNamespace = this.services.get(namespace) ?? new Map<string, Labels>()
    this.services.set(namespace, inNamespace)
    if (selector === undefined) inNamespace.delete(name)
    else inNamespace.set(name, selector)
  }

  /** Sets the selector of an owner; undefined if it was deleted. */
  setOwner(kind: SpreadOwner, namespace: string, name: string, selector: LabelSelector | undefined): void {
    const key = `${kind}/${namespace}/${name}`
    if (selector === undefined) this.owners.delete(key)
    else this.owners.set(key, selector)
  }

  /**
   * Selects the pods among which this one is spread by default: the union of the requirements of its Services' and its
   * owner's selectors. Undefined if it has neither. Upstream: pkg/scheduler/framework/plugins/helper/spread.go
   * DefaultSelector.
   */
  siblingsOf(pod: Pod): LabelSelection | undefined {
    const namespace = pod.metadata.namespace ?? "default"
    const labels = pod.metadata.labels ?? {}
    const merged: Record<string, string> = {}
    for (const selector of this.services.get(namespace)?.values() ?? []) {
      if (Object.entries(selector).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value))
        Object.assign(merged, selector)
    }
    const owner = getControllerOf(pod)
    const ownerSelector = owner && this.owners.get(`${owner.kind}/${namespace}/${owner.name}`)
    const requirements: ReadonlyArray<Requirement> =
      ownerSelector === undefined ? [] : (selectorOf(ownerSelector).requirements ?? [])
    const names = Object.keys(merged)
    if (names.length === 0) return requirements.length === 0 ? undefined : selectionOf(ownerSelector)
    return selectionOf(
      makeSelector([
        ...names.map((key): Requirement => ({ key, operator: "=", values: [merged[key] ?? ""] })),
        ...requirements
      ])
    )
  }
}
