import { type Container, containersOf, isWindows } from "../PodSpec.ts"
import { type CheckPod, namesOf } from "./Check.ts"
import { distinct, joinQuoted, namesWith } from "./words.ts"

/** Wraps a check that makes no sense for a pod of Windows. */
export const exceptWindows =
  (check: CheckPod): CheckPod =>
  (spec, metadata) =>
    isWindows(spec) ? undefined : check(spec, metadata)

export const privileged: CheckPod = (spec) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.privileged === true)
  if (names.length === 0) return undefined
  return {
    reason: "privileged",
    detail: `${namesWith("container", names)} must not set securityContext.privileged=true`
  }
}

export const allowPrivilegeEscalation: CheckPod = (spec) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (names.length === 0) return undefined
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${namesWith("container", names)} must set securityContext.allowPrivilegeEscalation=false`
  }
}

/** The capabilities that container runtimes give by default, without NET_RAW. */
const defaults: ReadonlyArray<string> =
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " "
  )

const addedBeyond =
  (known: ReadonlyArray<string>) =>
  ({ securityContext }: Container): ReadonlyArray<string> =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !known.includes(capability))

/** Forbids to add other capabilities than these; undefined if no container does. */
const addedDetail = (spec: Parameters<CheckPod>[0], known: ReadonlyArray<string>): string | undefined => {
  const added = addedBeyond(known)
  const names = namesOf(spec, (container) => added(container).length > 0)
  if (names.length === 0) return undefined
  const capabilities = joinQuoted(distinct(containersOf(spec).flatMap(added)))
  return `${namesWith("container", names)} must not include ${capabilities} in securityContext.capabilities.add`
}

export const capabilitiesBaseline: CheckPod = (spec) => {
  const detail = addedDetail(spec, defaults)
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail }
}

export const capabilitiesRestricted: CheckPod = (spec) => {
  const keepsSome = namesOf(
    spec,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true
  )
  const details = [
    ...(keepsSome.length === 0
      ? []
      : [`${namesWith("container", keepsSome)} must set securityContext.capabilities.drop=["ALL"]`]),
    addedDetail(spec, ["NET_BIND_SERVICE"]) ?? []
  ].flat()
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") }
}
