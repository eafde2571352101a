import { memberOf } from "../memberOf.ts"
import type { ObjectMeta } from "../objects/Meta.ts"
import type { PodSpec } from "../objects/Pod.ts"
import { annotationConfigMirror, annotationPodDeletionCost } from "../wellKnown.ts"
import type { ErrorList } from "./ErrorList.ts"
import { appArmorAnnotation, validateProfileAnnotations } from "./profileAnnotations.ts"

/** Whether the text is a 32-bit integer without a plus sign or leading zeros. */
const isDeletionCost = (text: string): boolean =>
  /^(?:0|-\d+|[1-9]\d*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31

/** Checks the annotations with a meaning for pods. Upstream: ValidatePodSpecificAnnotations. */
export const validatePodAnnotations = (
  errors: ErrorList,
  annotations: ObjectMeta["annotations"],
  spec: PodSpec,
  path: string,
  allowInvalidDeletionCost = false
): void => {
  if (annotations === undefined) return
  const mirror = annotations[annotationConfigMirror]
  if (mirror !== undefined && !spec.nodeName) {
    const detail = "must set spec.nodeName if mirror pod annotation is set"
    errors.invalid(`${path}[${annotationConfigMirror}]`, mirror, detail)
  }
  const cost = annotations[annotationPodDeletionCost]
  if (cost !== undefined && !allowInvalidDeletionCost && !isDeletionCost(cost)) {
    errors.invalid(`${path}[${annotationPodDeletionCost}]`, cost, "must be a 32bit integer")
  }
  validateProfileAnnotations(errors, annotations, spec, path)
}

/** Returns what messages call an annotation that an update may not change; undefined for other annotations. */
const immutableAnnotation = (key: string): string | undefined => {
  if (key === annotationConfigMirror) return "mirror pod annotation"
  return key.startsWith(appArmorAnnotation) ? "AppArmor annotations" : undefined
}

/**
 * Checks that an update changes neither the mirror annotation nor AppArmor profiles. Upstream:
 * ValidatePodSpecificAnnotationUpdates.
 */
export const validatePodAnnotationsUpdate = (
  errors: ErrorList,
  metadata: ObjectMeta,
  old: ObjectMeta,
  spec: PodSpec,
  path: string
): void => {
  if (metadata.annotations === old.annotations) return
  const annotations = metadata.annotations ?? {}
  const stored = old.annotations ?? {}
  for (const key of Object.keys(stored)) {
    const name = memberOf(annotations, key) === stored[key] ? undefined : immutableAnnotation(key)
    if (name !== undefined) errors.forbidden(`${path}[${key}]`, `may not remove or update ${name}`)
  }
  for (const key of Object.keys(annotations)) {
    const name = Object.hasOwn(stored, key) ? undefined : immutableAnnotation(key)
    if (name !== undefined) errors.forbidden(`${path}[${key}]`, `may not add ${name}`)
  }
  const storedCost = stored[annotationPodDeletionCost]
  const wasInvalid = storedCost !== undefined && !isDeletionCost(storedCost)
  validatePodAnnotations(errors, metadata.annotations, spec, path, wasInvalid)
}
