import { compareVersions } from "../../core/registry/compareVersions.ts"
import type { Routes } from "../request/Routes.ts"

/**
 * The priorities of the groups of Kubernetes. Upstream: pkg/controlplane/apiserver/aggregator.go,
 * DefaultGenericAPIServicePriorities; apiregistration.k8s.io is always the first.
 */
const groupPriorities: ReadonlyMap<string, number> = new Map([
  ["apiregistration.k8s.io", 20_000],
  ["apps", 17_800],
  ["events.k8s.io", 17_750],
  ["authentication.k8s.io", 17_700],
  ["authorization.k8s.io", 17_600],
  ["autoscaling", 17_500],
  ["batch", 17_400],
  ["certificates.k8s.io", 17_300],
  ["networking.k8s.io", 17_200],
  ["policy", 17_100],
  ["rbac.authorization.k8s.io", 17_000],
  ["storage.k8s.io", 16_800],
  ["admissionregistration.k8s.io", 16_700],
  ["apiextensions.k8s.io", 16_700],
  ["scheduling.k8s.io", 16_600],
  ["coordination.k8s.io", 16_500],
  ["node.k8s.io", 16_300],
  ["discovery.k8s.io", 16_200],
  ["resource.k8s.io", 16_200],
  ["flowcontrol.apiserver.k8s.io", 16_100]
])

/** Those of custom resources. Upstream: cmd/kube-apiserver/app/aggregator.go. */
const CUSTOM_GROUP_PRIORITY = 1000
const CUSTOM_VERSION_PRIORITY = 100

type Groups = ReadonlyMap<string, ReadonlyArray<string>>

/** Returns the groups with the versions of this and of other API servers, the preferred version of each first. */
export const allGroups = (routes: Routes): Groups => {
  if (routes.remote.length === 0) return routes.groups()
  const groups = new Map([...routes.groups()].map(([group, versions]) => [group, new Set(versions)] as const))
  for (const { group, version } of routes.remote) {
    const known = groups.get(group)
    if (known === undefined) groups.set(group, new Set([version]))
    else known.add(version)
  }
  const priorityOf = (group: string, version: string): number =>
    routes.remote.find((each) => each.group === group && each.version === version)?.versionPriority ??
    CUSTOM_VERSION_PRIORITY
  return new Map(
    [...groups].map(([group, versions]) => [
      group,
      [...versions].sort(
        (left, right) => priorityOf(group, right) - priorityOf(group, left) || compareVersions(left, right)
      )
    ])
  )
}

/**
 * Returns the groups other than the core group with their versions, in the order in which discovery lists them: by
 * priority, then by the name of the APIService of their first version. Upstream:
 * kube-aggregator/pkg/apis/apiregistration, SortedByGroupAndVersion.
 */
export const sortedGroups = (
  routes: Routes
): ReadonlyArray<readonly [group: string, versions: ReadonlyArray<string>]> => {
  const served = routes.groups()
  const priorityOf = (group: string): number => {
    const remote = routes.remote.filter((each) => each.group === group).map(({ groupPriority }) => groupPriority)
    const own = groupPriorities.get(group) ?? (served.has(group) ? CUSTOM_GROUP_PRIORITY : 0)
    return Math.max(own, ...remote)
  }
  const nameOf = (group: string, versions: ReadonlyArray<string>): string =>
    versions.map((version) => `${version}.${group}`).toSorted()[0] ?? ""
  const keyed = [...allGroups(routes)]
    .filter(([group]) => group !== "")
    .map((entry) => ({ entry, priority: priorityOf(entry[0]), name: nameOf(...entry) }))
  return keyed
    .toSorted((left, right) => right.priority - left.priority || (left.name < right.name ? -1 : 1))
    .map(({ entry }) => entry)
}
