import type { PersistentVolumeClaim, Pod, StatefulSet, Volume } from "@rollcall/api"
import { labelRevision } from "../history/revisions.ts"
import { podFromTemplate } from "../podFromTemplate.ts"

/** Upstream: apps/v1 StatefulSetPodNameLabel, PodIndexLabel. */
const labelPodName = "statefulset.kubernetes.io/pod-name"
const labelPodIndex = "apps.kubernetes.io/pod-index"

/** The first ordinal. */
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0
/** The desired number of pods. */
export const sizeOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1

const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`

/**
 * The ordinal in a pod's name; -1 if the name has another form. Upstream: stateful_set_utils.go
 * getParentNameAndOrdinal.
 */
export const ordinalOf = ({ metadata }: Pod): number => {
  const found = /^.+-([0-9]+)$/.exec(metadata.name ?? "")
  return found === null ? -1 : Number(found[1])
}

/** Whether the pod's name is the set's name and an ordinal. */
export const isMember = (set: StatefulSet, pod: Pod): boolean =>
  ordinalOf(pod) >= 0 && pod.metadata.name?.replace(/-[0-9]+$/, "") === set.metadata.name

/** Whether the pod's ordinal is in the set's current range. Upstream: podInOrdinalRange. */
export const isInRange = (set: StatefulSet, pod: Pod): boolean => {
  const index = ordinalOf(pod) - startOf(set)
  return index >= 0 && index < sizeOf(set)
}

/** The revision that a pod was created from. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[labelRevision] ?? ""

interface ClaimTemplate extends Pick<PersistentVolumeClaim, "spec"> {
  readonly metadata?: PersistentVolumeClaim["metadata"]
}

const templatesOf = ({ spec }: StatefulSet): ReadonlyArray<ClaimTemplate> =>
  (spec.volumeClaimTemplates ?? []) as ReadonlyArray<ClaimTemplate>

const claimName = (template: ClaimTemplate, set: StatefulSet, ordinal: number): string =>
  `${template.metadata?.name}-${podName(set, ordinal)}`

/** The claims of an ordinal's pod. Upstream: stateful_set_utils.go getPersistentVolumeClaims. */
export const claimsOf = (set: StatefulSet, ordinal: number): ReadonlyArray<PersistentVolumeClaim> =>
  templatesOf(set).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...template.metadata,
      name: claimName(template, set, ordinal),
      namespace: set.metadata.namespace ?? "default",
      labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels }
    },
    ...(template.spec === undefined ? {} : { spec: template.spec })
  }))

const volumesOf = (set: StatefulSet, ordinal: number): ReadonlyArray<Volume> =>
  templatesOf(set).map((template) => ({
    name: template.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(template, set, ordinal) }
  }))

const identityLabels = (set: StatefulSet, ordinal: number) => ({
  [labelPodName]: podName(set, ordinal),
  [labelPodIndex]: String(ordinal)
})

/** The spec with the volumes of the pod's claims; they replace volumes of the same name. */
const withStorage = (set: StatefulSet, ordinal: number, spec: Pod["spec"]): Pod["spec"] => {
  const claimVolumes = volumesOf(set, ordinal)
  if (claimVolumes.length === 0) return spec
  const others = (spec.volumes ?? []).filter(({ name }) => !claimVolumes.some((volume) => volume.name === name))
  return { ...spec, volumes: [...claimVolumes, ...others] }
}

/** The pod of an ordinal, from the template in `set`. Upstream: stateful_set_utils.go newStatefulSetPod. */
export const newStatefulPod = (set: StatefulSet, ordinal: number, revision: string): Pod => {
  const { metadata, ...pod } = podFromTemplate(set, set.spec.template)
  const name = podName(set, ordinal)
  const { serviceName } = set.spec
  const spec = { ...pod.spec, hostname: name, ...(serviceName ? { subdomain: serviceName } : {}) }
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata.labels, ...identityLabels(set, ordinal), [labelRevision]: revision }
    },
    spec: withStorage(set, ordinal, spec)
  }
}

/** Whether the pod has the name and label of its ordinal. Upstream: identityMatches. */
const hasIdentity = (set: StatefulSet, pod: Pod): boolean =>
  pod.metadata.name === podName(set, ordinalOf(pod)) && pod.metadata.labels?.[labelPodName] === pod.metadata.name

/** Whether the pod has the volumes of its claims. Upstream: storageMatches. */
export const hasStorage = (set: StatefulSet, pod: Pod): boolean =>
  volumesOf(set, ordinalOf(pod)).every(({ name, persistentVolumeClaim }) =>
    (pod.spec.volumes ?? []).some(
      (volume) => volume.name === name && volume.persistentVolumeClaim?.claimName === persistentVolumeClaim?.claimName
    )
  )

/** The pod with its identity and storage restored; undefined if it has both. Upstream: UpdateStatefulPod. */
export const restoredPod = (set: StatefulSet, pod: Pod): Pod | undefined =>
  hasIdentity(set, pod) && hasStorage(set, pod) ? undefined : withIdentity(set, pod)

/** The pod with its identity and storage. Upstream: updateIdentity, updateStorage. */
export const withIdentity = (set: StatefulSet, pod: Pod): Pod => {
  const ordinal = ordinalOf(pod)
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal) }
  return { ...pod, metadata: { ...pod.metadata, labels }, spec: withStorage(set, ordinal, pod.spec) }
}
