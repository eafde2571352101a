import { defaultStorageClassOf, isPodTerminal, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import type { ClusterSnapshot, Placement, PlanScheduler } from "@rollcall/drain"
import { Algorithm, defaultProfile, SchedulingCache, volumeBinding } from "@rollcall/scheduler"
import { ephemeralClaims } from "@rollcall/volumes"
import type { ClusterObjects } from "../cluster/ClusterObjects.ts"

const fillVolumes = (cache: SchedulingCache, objects: ClusterObjects): void => {
  for (const volume of objects.of("PersistentVolume")) cache.setVolume(volume.metadata.name ?? "", volume)
  for (const claim of objects.of("PersistentVolumeClaim")) {
    cache.setClaim(claim.metadata.namespace ?? "", claim.metadata.name ?? "", claim)
  }
  for (const storageClass of objects.of("StorageClass")) {
    cache.setStorageClass(storageClass.metadata.name ?? "", storageClass)
  }
  for (const csiNode of objects.of("CSINode")) cache.setCSINode(csiNode.metadata.name ?? "", csiNode)
  for (const driver of objects.of("CSIDriver")) cache.setCSIDriver(driver.metadata.name ?? "", driver)
  for (const capacity of objects.of("CSIStorageCapacity")) cache.setStorageCapacity(capacity)
}

/** Puts the objects of a cluster into a scheduler's cache. */
const fill = (cache: SchedulingCache, objects: ClusterObjects, { nodes, pods }: ClusterSnapshot): void => {
  for (const { metadata } of objects.of("Namespace")) cache.setNamespace(metadata.name ?? "", metadata.labels ?? {})
  for (const { metadata, spec } of objects.of("Service")) {
    cache.workloads.setService(metadata.namespace ?? "", metadata.name ?? "", spec?.selector)
  }
  fillVolumes(cache, objects)
  for (const kind of ["ReplicaSet", "StatefulSet"] as const) {
    for (const { metadata, spec } of objects.of(kind)) {
      cache.workloads.setOwner(kind, metadata.namespace ?? "", metadata.name ?? "", spec.selector)
    }
  }
  for (const { metadata, spec } of objects.of("ReplicationController")) {
    const matchLabels = spec?.selector ?? {}
    cache.workloads.setOwner("ReplicationController", metadata.namespace ?? "", metadata.name ?? "", { matchLabels })
  }
  for (const node of nodes) cache.setNode(node)
  for (const pod of pods) {
    if ((pod.spec.nodeName ?? "") !== "" && !isPodTerminal(pod))
      cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
  }
}

/** Runs the scheduler's filters, scores and preemption on a snapshot. Ties go to the first node, so that plans are reproducible. */
export const plannedScheduler =
  (objects: ClusterObjects) =>
  (snapshot: ClusterSnapshot, budgets: () => ReadonlyArray<PodDisruptionBudget>): PlanScheduler => {
    const cache = new SchedulingCache()
    fill(cache, objects, snapshot)
    const algorithm = new Algorithm(cache, {
      profile: defaultProfile,
      percentageOfNodesToScore: 0,
      random: () => 0,
      budgets
    })
    const defaultClass = defaultStorageClassOf(objects.of("StorageClass"))?.metadata.name
    /** Adds the claims of a pod's generic ephemeral volumes, as the ephemeral volume controller creates them. */
    const addEphemeralClaims = (pod: Pod): void => {
      for (const { claim } of ephemeralClaims(pod)) {
        const storageClassName = claim.spec?.storageClassName ?? defaultClass
        const spec = storageClassName === undefined ? claim.spec : { ...claim.spec, storageClassName }
        const created = spec === undefined ? claim : { ...claim, spec }
        cache.setClaim(claim.metadata.namespace ?? "", claim.metadata.name ?? "", created)
      }
    }
    const keyOf = (pod: Pod): string => cache.describe(pod).key
    return {
      place: (pod): Placement => {
        addEphemeralClaims(pod)
        const info = cache.describe(pod)
        const decision = algorithm.schedule(info)
        if (decision._tag === "Bind") {
          algorithm.nominations.withdraw(info.key)
          // Reserve the pod's volumes on this node, so that no other pod gets them.
          volumeBinding.reserve(info, decision.node, cache)
          cache.place(info, decision.node)
          return { _tag: "Placed", node: decision.node }
        }
        const { message, nominated } = decision
        if (nominated === undefined) return { _tag: "Unplaceable", message }
        const { node, victims } = nominated
        algorithm.nominations.nominate(info, node)
        return { _tag: "Unplaceable", message, preemption: { node, victims: victims.map((victim) => victim.pod) } }
      },
      update: (pod) => {
        if (cache.placement(pod) !== undefined) cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
      },
      remove: (pod) => {
        const key = keyOf(pod)
        cache.forgetVolumes(key)
        cache.remove(key)
      }
    }
  }
