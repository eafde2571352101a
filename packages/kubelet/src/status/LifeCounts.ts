import type { ContainerStatus, PodStatus } from "@rollcall/api"

/** The kinds of containers, as labels name them. Upstream: pkg/kubelet/metrics/metrics.go. */
export type ContainerType = "container" | "init_container" | "ephemeral_container"

/** What a kubelet counts of its pods' lives, with the labels of each. */
export interface LifeCountLabels {
  readonly started_containers_total: readonly [type: ContainerType]
  readonly started_containers_errors_total: readonly [type: ContainerType, code: string]
  readonly started_pods_total: readonly []
  readonly started_pods_errors_total: readonly []
  readonly started_user_namespaced_pods_total: readonly []
  readonly started_user_namespaced_pods_errors_total: readonly []
  readonly terminated_containers_total: readonly [type: ContainerType, exitCode: string, reason: string]
}

export type LifeCountName = keyof LifeCountLabels

/** A count, and the values of its labels. */
export interface LifeCount {
  readonly labels: ReadonlyArray<string>
  readonly value: number
}

const NONE: ReadonlyArray<LifeCount> = []

const fields = [
  ["initContainerStatuses", "init_container"],
  ["containerStatuses", "container"],
  ["ephemeralContainerStatuses", "ephemeral_container"]
] as const

/** Counts what happens to the pods of one kubelet, since it was made. Nothing is kept before the first count. */
export class LifeCounts {
  private counts:
    | Map<LifeCountName, Map<string, { readonly labels: ReadonlyArray<string>; value: number }>>
    | undefined = undefined

  add<Name extends LifeCountName>(name: Name, labels: LifeCountLabels[Name], by = 1): void {
    this.counts ??= new Map()
    const family = this.counts.get(name) ?? new Map<string, { readonly labels: ReadonlyArray<string>; value: number }>()
    this.counts.set(name, family)
    const key = labels.join("\0")
    const count = family.get(key)
    if (count === undefined) family.set(key, { labels, value: by })
    else count.value += by
  }

  of(name: LifeCountName): ReadonlyArray<LifeCount> {
    const family = this.counts?.get(name)
    return family === undefined
      ? NONE
      : [...family].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, count]) => count)
  }

  /** Counts the containers that have ended from one status of a pod to the next. Upstream: status_manager.go, updateStatusInternal. */
  statusChanged(before: PodStatus, after: PodStatus): void {
    for (const [field, type] of fields) {
      if (before[field] !== after[field]) this.ended(before[field], after[field], type)
    }
  }

  private ended(
    before: ReadonlyArray<ContainerStatus> | undefined,
    after: ReadonlyArray<ContainerStatus> | undefined,
    type: ContainerType
  ): void {
    for (const { name, state } of after ?? []) {
      const { exitCode = 0, reason = "" } = state?.terminated ?? {}
      if (state?.terminated === undefined) continue
      const known = before?.find((status) => status.name === name)
      if (known?.state?.terminated === undefined)
        this.add("terminated_containers_total", [type, String(exitCode), reason])
    }
  }
}
