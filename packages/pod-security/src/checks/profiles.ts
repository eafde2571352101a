import { goQuote } from "@rollcall/api/text"
import { type Container, containersOf, type PodMetadata, type PodSpec } from "../PodSpec.ts"
import { type CheckPod, type Finding, namesOf } from "./Check.ts"
import { distinct, joinQuoted, namesWith, plural, settersOf } from "./words.ts"

const safeTypes = ["RuntimeDefault", "Localhost"]

type Owner = Pick<Container | PodSpec, "securityContext">

interface BadProfiles {
  /** Who sets a profile that is not safe; empty if none does. */
  readonly setters: string
  /** The types that they set. */
  readonly types: ReadonlyArray<string>
}

const badProfiles = (spec: PodSpec, field: "appArmorProfile" | "seccompProfile"): BadProfiles => {
  const badOf = ({ securityContext }: Owner) => {
    const profile = securityContext?.[field]
    return profile == null || safeTypes.includes(profile.type ?? "") ? [] : [profile.type ?? ""]
  }
  const isBad = (owner: Owner) => badOf(owner).length > 0
  return {
    setters: settersOf(isBad(spec), namesOf(spec, isBad)),
    types: distinct([spec, ...containersOf(spec)].flatMap(badOf))
  }
}

const annotationsWith = ({ annotations = {} }: PodMetadata, prefix: string) =>
  Object.entries(annotations).filter(([key]) => key.startsWith(prefix))

const formatAnnotation = ([key, value]: readonly [string, string]): string => `${key}=${goQuote(value)}`

export const appArmorProfile: CheckPod = (spec, metadata) => {
  const { setters, types } = badProfiles(spec, "appArmorProfile")
  const annotations = annotationsWith(metadata, "container.apparmor.security.beta.kubernetes.io/")
    .filter(([, value]) => value !== "" && value !== "runtime/default" && !value.startsWith("localhost/"))
    .map(formatAnnotation)
    .sort()
  const allSetters = [setters, annotations.length === 0 ? "" : plural(annotations.length, "annotation")]
    .filter((setter) => setter !== "")
    .join(" and ")
  if (allSetters === "") return undefined
  const values = [...types, ...annotations]
  return {
    reason: plural(values.length, "forbidden AppArmor profile"),
    detail: `${allSetters} must not set AppArmor profile type to ${joinQuoted(values)}`
  }
}

const SECCOMP_OF_POD = "seccomp.security.alpha.kubernetes.io/pod"
const SECCOMP_OF_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"

/** Until Kubernetes 1.19 annotations named the profiles. */
export const seccompAnnotations: CheckPod = (spec, { annotations = {} }) => {
  const keys = [SECCOMP_OF_POD, ...containersOf(spec).map(({ name = "" }) => `${SECCOMP_OF_CONTAINER}${name}`)]
  const isSafe = (value: string) =>
    value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/")
  const bad = distinct(
    keys.flatMap((key) => {
      const value = annotations[key]
      return value === undefined || isSafe(value) ? [] : [formatAnnotation([key, value])]
    })
  )
  if (bad.length === 0) return undefined
  return { reason: "seccompProfile", detail: `forbidden ${plural(bad.length, "annotation")} ${bad.join(", ")}` }
}

const badSeccomp = ({ setters, types }: BadProfiles): Finding | undefined =>
  setters === ""
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `${setters} must not set securityContext.seccompProfile.type to ${joinQuoted(types)}`
      }

export const seccompBaseline: CheckPod = (spec) => badSeccomp(badProfiles(spec, "seccompProfile"))

export const seccompRestricted: CheckPod = (spec) => {
  const bad = badSeccomp(badProfiles(spec, "seccompProfile"))
  if (bad !== undefined || spec.securityContext?.seccompProfile != null) return bad
  const silent = namesOf(spec, ({ securityContext }) => securityContext?.seccompProfile == null)
  if (silent.length === 0) return undefined
  const names = namesWith("container", silent)
  return {
    reason: "seccompProfile",
    detail: `pod or ${names} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`
  }
}
