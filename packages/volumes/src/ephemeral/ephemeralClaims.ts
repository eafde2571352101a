import {
  controllerReference,
  ephemeralClaimName,
  isControlledBy,
  type KubeObject,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type Pod
} from "@rollcall/api"
import * as Schema from "effect/Schema"

interface Template {
  readonly metadata?: Pick<KubeObject["metadata"], "labels" | "annotations">
  readonly spec?: PersistentVolumeClaimSpec
}

/** A generic ephemeral volume of a pod, and its claim. */
export interface EphemeralVolume {
  readonly volume: string
  readonly claim: PersistentVolumeClaim
}

/**
 * The claims for a pod's ephemeral volumes, each owned by the pod.
 * Upstream: pkg/controller/volume/ephemeral/controller.go handleVolume.
 */
export const ephemeralClaims = (pod: Pod): ReadonlyArray<EphemeralVolume> =>
  (pod.spec.volumes ?? []).flatMap(({ ephemeral, name }) => {
    const template = (ephemeral as { readonly volumeClaimTemplate?: Template } | undefined)?.volumeClaimTemplate
    if (template === undefined) return []
    const { annotations, labels } = template.metadata ?? {}
    const claim: PersistentVolumeClaim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: ephemeralClaimName(pod, name),
        namespace: pod.metadata.namespace ?? "",
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(pod)]
      },
      ...(template.spec === undefined ? {} : { spec: template.spec })
    }
    return [{ volume: name, claim }]
  })

/** A pod does not get the claims of its volumes: the later ones are left for the next attempt as well. */
export class EphemeralVolumeRefused extends Schema.TaggedError<EphemeralVolumeRefused>()("EphemeralVolumeRefused", {
  message: Schema.String
}) {}

/**
 * Why an existing claim does not belong to the pod; undefined if it does.
 * Upstream: component-helpers/storage/ephemeral VolumeIsForPod.
 */
export const ownerMismatch = (pod: Pod, claim: PersistentVolumeClaim): string | undefined => {
  if (isControlledBy(claim, pod)) return undefined
  const { namespace } = claim.metadata
  return `PVC ${namespace}/${claim.metadata.name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`
}
