import { type Container, containersOf, type PodSpec } from "../PodSpec.ts"
import { type CheckPod, namesOf } from "./Check.ts"
import { distinct, joinQuoted, namesWith, plural, settersOf } from "./words.ts"

type SELinuxOptions = NonNullable<NonNullable<PodSpec["securityContext"]>["seLinuxOptions"]>

/** Returns the check that allows these types of SELinux, and no user or role. */
export const seLinuxOptions =
  (...types: ReadonlyArray<string>): CheckPod =>
  (spec) => {
    const isBadType = ({ type = "" }: SELinuxOptions) => type !== "" && !types.includes(type)
    const isBad = ({ securityContext }: Pick<Container | PodSpec, "securityContext">) => {
      const options = securityContext?.seLinuxOptions
      return options != null && (isBadType(options) || Boolean(options.user) || Boolean(options.role))
    }
    const setters = settersOf(isBad(spec), namesOf(spec, isBad))
    if (setters === "") return undefined
    const all = [spec, ...containersOf(spec)].flatMap(({ securityContext }) => securityContext?.seLinuxOptions ?? [])
    const badTypes = distinct(all.filter(isBadType).map(({ type = "" }) => type))
    const faults = [
      ...(badTypes.length === 0 ? [] : [`${plural(badTypes.length, "type")} ${joinQuoted(badTypes)}`]),
      ...(all.some(({ user }) => user) ? ["user may not be set"] : []),
      ...(all.some(({ role }) => role) ? ["role may not be set"] : [])
    ]
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`
    return { reason: "seLinuxOptions", detail }
  }

/** Returns the check that allows these sysctls, which affect the pod alone. */
export const sysctls =
  (...safe: ReadonlyArray<string>): CheckPod =>
  ({ securityContext }) => {
    const names = (securityContext?.sysctls ?? []).map(({ name = "" }) => name).filter((name) => !safe.includes(name))
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") }
  }

export const procMount: CheckPod = (spec) => {
  const badOf = ({ securityContext }: Container) => {
    const type = securityContext?.procMount
    return type == null || type === "Default" ? [] : [type]
  }
  const names = namesOf(spec, (container) => badOf(container).length > 0)
  if (names.length === 0) return undefined
  const types = joinQuoted(distinct(containersOf(spec).flatMap(badOf)))
  return {
    reason: "procMount",
    detail: `${namesWith("container", names)} must not set securityContext.procMount to ${types}`
  }
}
