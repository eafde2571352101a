import type { KubeObject } from "../objects/Meta.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { CSIDriver, CSIStorageCapacity, RuntimeClass, StorageClass } from "../objects/StorageClass.ts"
import { semanticEqual } from "../validation/semanticEqual.ts"
import { fractionWarning } from "./fractions.ts"
import { expressionWarnings, labelDeprecation, nodeTermsWarnings } from "./nodeLabels.ts"
import { pluginWarnings } from "./plugins.ts"

/** Upstream: pkg/api/{persistentvolume,persistentvolumeclaim,storage,node}/util.go. */

const classAnnotation = "volume.beta.kubernetes.io/storage-class"
const optionsAnnotation = "volume.beta.kubernetes.io/mount-options"

const annotationWarning = ({ metadata }: KubeObject, key: string, message: string): ReadonlyArray<string> =>
  metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${message}`]

const volumePlugins = [
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"]
] as const

const classMessage = 'deprecated since v1.8; use "storageClassName" attribute instead'

export const volumeObjectWarnings = (volume: PersistentVolume): ReadonlyArray<string> => {
  const { nodeAffinity, persistentVolumeReclaimPolicy } = volume.spec ?? {}
  const recycles =
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."
  return [
    ...annotationWarning(volume, classAnnotation, classMessage),
    ...annotationWarning(volume, optionsAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ...(persistentVolumeReclaimPolicy === "Recycle" ? [recycles] : []),
    ...nodeTermsWarnings(nodeAffinity?.required?.nodeSelectorTerms, "spec.nodeAffinity.required.nodeSelectorTerms"),
    ...pluginWarnings(volume.spec ?? {}, "spec", volumePlugins)
  ]
}

/** Returns the warnings for a claim, or the template of one. */
export const claimSpecWarnings = (
  spec: PersistentVolumeClaim["spec"] | undefined,
  path: string
): ReadonlyArray<string> =>
  (["requests", "limits"] as const).flatMap((list) =>
    fractionWarning(spec?.resources?.[list]?.storage, `${path}.resources.${list}[storage]`)
  )

export const claimWarnings = (claim: PersistentVolumeClaim): ReadonlyArray<string> => [
  ...annotationWarning(claim, classAnnotation, classMessage),
  ...claimSpecWarnings(claim.spec, "spec")
]

export const storageClassWarnings = ({ allowedTopologies = [] }: StorageClass): ReadonlyArray<string> =>
  allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.flatMap(({ key }, at) => {
      const deprecation = labelDeprecation(key)
      const path = `allowedTopologies[${index}].matchLabelExpressions[${at}].key`
      return deprecation === undefined ? [] : [`${path}: ${deprecation}`]
    })
  )

export const capacityWarnings = ({ nodeTopology }: CSIStorageCapacity): ReadonlyArray<string> => [
  ...expressionWarnings(nodeTopology?.matchExpressions, "nodeTopology.matchExpressions"),
  ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((label) => {
    const deprecation = labelDeprecation(label)
    return deprecation === undefined ? [] : [`nodeTopology.matchLabels.${label}: ${deprecation}`]
  })
]

export const runtimeClassWarnings = ({ scheduling }: RuntimeClass): ReadonlyArray<string> =>
  Object.keys(scheduling?.nodeSelector ?? {}).flatMap((label) => {
    const deprecation = labelDeprecation(label)
    return deprecation === undefined ? [] : [`scheduling.nodeSelector: ${deprecation}`]
  })

const tokensInSecretsWarning =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"

/** Warns of token requests that are new or changed. Upstream: pkg/registry/storage/csidriver/strategy.go. */
export const driverWarnings = ({ spec }: CSIDriver, stored: CSIDriver | undefined): ReadonlyArray<string> => {
  const requests = spec?.tokenRequests ?? []
  if (requests.length === 0 || spec?.serviceAccountTokenInSecrets !== undefined) return []
  return semanticEqual(requests, stored?.spec?.tokenRequests) ? [] : [tokensInSecretsWarning]
}
