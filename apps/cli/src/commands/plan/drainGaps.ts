import { getControllerOf, type KindName } from "@rollcall/api"
import type { ClusterObjects } from "./drainObjects.ts"

/** What a snapshot lacks that its pods speak of, and what the plan makes of that: people forget to ask for a kind. */
export const gapsOf = (objects: ClusterObjects): ReadonlyArray<string> => {
  const pods = objects.of("Pod")
  const owned = new Set(pods.map((pod) => getControllerOf(pod)?.kind))
  const gap = (kind: KindName, plural: string, consequence: string) =>
    `the snapshot has pods of ${kind}s but no ${kind}: ${consequence}; add ${plural} to it`
  const claims = pods.some(({ spec }) => spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim))
  const unbound = objects.of("PersistentVolumeClaim").some(({ spec }) => (spec?.volumeName ?? "") === "")
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
          "the snapshot has pods with claims but no PersistentVolumeClaim: volumes keep no pod from any node; add pv,pvc,sc to it"
        ]
      : []),
    ...(unbound && objects.of("StorageClass").length === 0
      ? [
          "the snapshot has claims that are not bound but no StorageClass: whether they wait for a pod is not known, and pods that want them are planned nowhere; add storageclasses to it"
        ]
      : [])
  ]
}
