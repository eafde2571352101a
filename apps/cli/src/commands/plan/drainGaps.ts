import { getControllerOf, type KindName } from "@rollcall/api"
import type { ClusterObjects } from "./drainObjects.ts"

/** What a snapshot lacks that its pods speak of, and what the plan makes of that: people forget to ask for a kind. */
export const gapsOf = (objects: ClusterObjects): ReadonlyArray<string> => {
  const pods = objects.of("Pod")
  const owned = new Set(pods.map((pod) => getControllerOf(pod)?.kind))
  const gap = (kind: KindName, plural: string, consequence: string) =>
    `the snapshot has pods of ${kind}s but no ${kind}: ${consequence}; add ${plural} to it`
  const claims = pods.some(({ spec }) => spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim))
  return [
    ...(owned.has("DaemonSet") && objects.of("DaemonSet").length === 0
      ? [gap("DaemonSet", "daemonsets", "kubectl would not find their owners, and refuse")]
      : []),
    ...(["ReplicaSet", "StatefulSet"] as const).flatMap((kind) =>
      owned.has(kind) && objects.of(kind).length === 0
        ? [gap(kind, `${kind.toLowerCase()}s`, "how many pods they ask for is not known")]
        : []
    ),
    ...(claims && objects.of("PersistentVolumeClaim").length === 0
      ? [
          "the snapshot has pods with claims but no PersistentVolumeClaim: volumes keep no pod from any node; add pv,pvc to it"
        ]
      : [])
  ]
}
