import type { ObjectMeta } from "../objects/Meta.ts"
import type { PodSpec } from "../objects/Pod.ts"
import type { ErrorList } from "./ErrorList.ts"
import { goQuote } from "./goQuote.ts"
import { validateDescendingPath } from "./paths.ts"
import { visitContainers } from "./visitContainers.ts"

/*
 * Annotations that name the profiles of containers, from before there were fields. Upstream:
 * pkg/apis/core/validation/validation.go, ValidateSeccompPodAnnotations and ValidateAppArmorPodAnnotations.
 */

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"

/** The annotation with the AppArmor profile of a container has this prefix before the container's name. */
export const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

const LOCALHOST = "localhost/"
const MAX_PROFILE_LENGTH = 4095

export interface Profile {
  readonly type: string
  readonly localhostProfile?: string
}

type Profiles = Readonly<Partial<Record<"appArmorProfile" | "seccompProfile", Profile>>>

const profilesOf = ({ securityContext }: { readonly securityContext?: object | undefined }): Profiles =>
  (securityContext ?? {}) as Profiles

/** Returns the profile that an annotation names, if a field can have it. Upstream: ApparmorFieldForAnnotation. */
export const appArmorProfileOf = (annotation: string): Profile | undefined => {
  if (annotation === "unconfined") return { type: "Unconfined" }
  if (annotation === "runtime/default") return { type: "RuntimeDefault" }
  const localhostProfile = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : ""
  return localhostProfile === "" ? undefined : { type: "Localhost", localhostProfile }
}

export const isSameProfile = (left: Profile | undefined, right: Profile | undefined): boolean =>
  left?.type === right?.type && left?.localhostProfile === right?.localhostProfile

/** Whether a pod may have the profile in a field. */
export const isValidAppArmorProfile = ({ localhostProfile = "" }: Profile): boolean =>
  localhostProfile.trim() === localhostProfile && localhostProfile.length <= MAX_PROFILE_LENGTH

const checkSeccomp = (errors: ErrorList, profile: string, path: string): void => {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return
  if (profile.startsWith(LOCALHOST)) validateDescendingPath(errors, profile.slice(LOCALHOST.length), path)
  else errors.invalid(path, profile, "must be a valid seccomp profile")
}

/** Checks that annotations name profiles, and those of AppArmor containers of the pod. */
export const validateProfileAnnotations = (
  errors: ErrorList,
  annotations: NonNullable<ObjectMeta["annotations"]>,
  spec: PodSpec,
  path: string
): void => {
  const ofPod = annotations[SECCOMP_POD]
  if (ofPod !== undefined) checkSeccomp(errors, ofPod, `${path}.${SECCOMP_POD}`)
  for (const [key, profile] of Object.entries(annotations)) {
    if (key.startsWith(SECCOMP_CONTAINER)) checkSeccomp(errors, profile, `${path}.${key}`)
  }
  const ofAppArmor = Object.entries(annotations).filter(([key]) => key.startsWith(appArmorAnnotation))
  if (ofAppArmor.length === 0) return
  const names = new Set<string>()
  visitContainers(spec, "", (container) => void names.add(container.name))
  for (const [key, profile] of ofAppArmor) {
    const name = key.slice(appArmorAnnotation.length)
    if (!names.has(name)) errors.invalid(`${path}[${key}]`, name, "container not found")
    if (!["", "runtime/default", "unconfined"].includes(profile) && !profile.startsWith(LOCALHOST)) {
      errors.invalid(`${path}[${key}]`, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)
    }
  }
}

/** How an annotation names a type of profile; the path of a local one follows. */
const nameOfType: Readonly<Record<string, string>> = {
  Localhost: LOCALHOST,
  RuntimeDefault: "runtime/default",
  Unconfined: "unconfined"
}

const checkMatch = (
  errors: ErrorList,
  annotation: string | undefined,
  profile: Profile | undefined,
  path: string,
  what: "apparmor" | "seccomp"
): void => {
  if (annotation === undefined || profile === undefined) return
  const { localhostProfile, type } = profile
  const name = nameOfType[type]
  if (name === undefined) return
  const isDocker = what === "seccomp" && type === "RuntimeDefault" && annotation === "docker/default"
  if (type === "Localhost" ? !annotation.startsWith(name) : annotation !== name && !isDocker)
    errors.forbidden(`${path}.type`, `${what} type in annotation and field must match`)
  else if (type === "Localhost" && annotation.slice(LOCALHOST.length) !== localhostProfile) {
    errors.forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`)
  }
}

/**
 * Checks that annotations of a new pod, or of a template, name the profiles of its fields. Upstream:
 * validateSeccompAnnotationsAndFields and validateAppArmorAnnotationsAndFieldsMatchOnCreate.
 */
export const validateProfilesMatch = (
  errors: ErrorList,
  annotations: ObjectMeta["annotations"],
  spec: PodSpec,
  path: string
): void => {
  if (annotations === undefined) return
  const ofPod = profilesOf(spec)
  checkMatch(
    errors,
    annotations[SECCOMP_POD],
    ofPod.seccompProfile,
    `${path}.securityContext.seccompProfile`,
    "seccomp"
  )
  visitContainers(spec, path, (container, at) => {
    const { seccompProfile } = profilesOf(container)
    const annotation = annotations[`${SECCOMP_CONTAINER}${container.name}`]
    checkMatch(errors, annotation, seccompProfile, `${at}.securityContext.seccompProfile`, "seccomp")
  })
  if (spec.os?.name === "windows") return
  visitContainers(spec, path, (container, at) => {
    const { appArmorProfile = ofPod.appArmorProfile } = profilesOf(container)
    const annotation = annotations[`${appArmorAnnotation}${container.name}`]
    checkMatch(errors, annotation, appArmorProfile, `${at}.securityContext.appArmorProfile`, "apparmor")
  })
}
