import type { Container, Pod } from "@rollcall/api"
import {
  appArmorAnnotation,
  appArmorProfileOf,
  isSameProfile,
  isValidAppArmorProfile,
  type Profile
} from "@rollcall/api/validation"

interface Owner {
  readonly securityContext?: object | undefined
}

const profileOf = ({ securityContext }: Owner): Profile | undefined =>
  (securityContext as { readonly appArmorProfile?: Profile } | undefined)?.appArmorProfile

const hasAnnotation = ({ metadata, spec }: Pod): boolean =>
  spec.os?.name !== "windows" &&
  Object.keys(metadata.annotations ?? {}).some((annotation) => annotation.startsWith(appArmorAnnotation))

/** The annotation of a container without a field of its own; undefined if there is none. */
const annotationOf = ({ metadata }: Pod, container: Container): string | undefined =>
  profileOf(container) === undefined ? metadata.annotations?.[`${appArmorAnnotation}${container.name}`] : undefined

/** The profile that an annotation names; undefined if no field can have it. */
const profileOfAnnotation = (annotation: string): Profile | undefined => {
  const profile = appArmorProfileOf(annotation)
  return profile !== undefined && isValidAppArmorProfile(profile) ? profile : undefined
}

/**
 * Returns a new pod whose AppArmor profiles are fields where annotations name them, for kubelets and clients that know
 * the fields. Upstream: pkg/registry/core/pod/strategy.go, applyAppArmorVersionSkew.
 */
export const withAppArmorFields = (pod: Pod): Pod => {
  if (!hasAnnotation(pod)) return pod
  const ofPod = pod.spec.securityContext && profileOf(pod.spec)
  const withField = (container: Container): Container => {
    const annotation = annotationOf(pod, container)
    const profile = annotation === undefined ? undefined : profileOfAnnotation(annotation)
    if (profile === undefined || isSameProfile(profile, ofPod)) return container
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } }
  }
  const listed = (["initContainers", "containers"] as const).flatMap((list) => {
    const containers = pod.spec[list]
    return containers === undefined ? [] : [[list, containers.map(withField)] as const]
  })
  return { ...pod, spec: { ...pod.spec, ...Object.fromEntries(listed) } }
}

/** Warns of the annotations that `withAppArmorFields` reads, or that no field can have. */
export const appArmorWarnings = (pod: Pod): ReadonlyArray<string> => {
  if (!hasAnnotation(pod)) return []
  const ofPod = pod.spec.securityContext && profileOf(pod.spec)
  return [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].flatMap((container) => {
    const annotation = annotationOf(pod, container)
    const profile = annotation === undefined ? undefined : profileOfAnnotation(annotation)
    if (annotation === undefined || (profile !== undefined && isSameProfile(profile, ofPod))) return []
    const path = `metadata.annotations[${appArmorAnnotation}${container.name}]`
    return [`${path}: deprecated since v1.30; use the "appArmorProfile" field instead`]
  })
}
