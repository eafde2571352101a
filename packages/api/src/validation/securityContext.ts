import type { PodSecurityContext, PodSpec } from "../objects/Pod.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { internalJson } from "./goDiff.ts"
import { goStruct } from "./goStruct.ts"
import { byteLength, rangeText } from "./names.ts"
import { validateDescendingPath } from "./paths.ts"
import { validateWindowsOptions } from "./windows.ts"

/** Upstream: pkg/apis/core/validation/validation.go, validatePodSpecSecurityContext and ValidateSecurityContext. */

const maxId = 2 ** 31 - 1

const checkId = (errors: ErrorList, id: unknown, path: string): void => {
  if ((typeof id === "number" || typeof id === "bigint") && (id < 0 || id > maxId))
    errors.invalid(path, id, rangeText(0, maxId))
}

interface Profile {
  readonly type?: string
  readonly localhostProfile?: string
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"]

const checkType = (errors: ErrorList, type: string, path: string, field: string): void => {
  if (type === "") errors.required(`${path}.type`, `type is required when ${field} is set`)
  else if (!profileTypes.includes(type)) errors.notSupported(`${path}.type`, type, profileTypes)
}

const checkSeccomp = (errors: ErrorList, profile: Profile | undefined, path: string): void => {
  if (profile === undefined) return
  const { localhostProfile, type = "" } = profile
  checkType(errors, type, path, "seccompProfile")
  const at = `${path}.localhostProfile`
  if (type === "Localhost") {
    if (localhostProfile === undefined) errors.required(at, "must be set when seccomp type is Localhost")
    else validateDescendingPath(errors, localhostProfile, at)
  } else if (localhostProfile !== undefined) {
    const shown = goStruct(profile, "io.k8s.api.core.v1.SeccompProfile")
    errors.invalid(at, shown, "can only be set when seccomp type is Localhost")
  }
}

const MAX_PROFILE_LENGTH = 4095

const checkAppArmor = (errors: ErrorList, profile: Profile | undefined, path: string): void => {
  if (profile === undefined) return
  const { localhostProfile, type = "" } = profile
  checkType(errors, type, path, "appArmorProfile")
  const at = `${path}.localhostProfile`
  if (type === "Localhost") {
    const profileName = localhostProfile?.trim()
    if (profileName !== localhostProfile) errors.invalid(at, localhostProfile, "must not be padded with whitespace")
    else if (!localhostProfile) errors.required(at, "must be set when AppArmor type is Localhost")
    if (byteLength(localhostProfile ?? "") > MAX_PROFILE_LENGTH) errors.tooLong(at, MAX_PROFILE_LENGTH)
  } else if (localhostProfile !== undefined && profileTypes.includes(type)) {
    errors.invalid(at, typed(localhostProfile), "can only be set when AppArmor type is Localhost")
  }
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`

/** A name may be written with slashes; then its dots belong to a segment. */
const withDots = (name: string): string =>
  /^[^./]*\//.test(name) ? name.replace(/[./]/g, (sign) => (sign === "." ? "/" : ".")) : name

const ipcSysctl = /^(?:kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)$|fs\.mqueue\.)/

/** The kernel namespace of a sysctl. Upstream: component-helpers/node/util/sysctl/namespace.go, GetNamespace. */
const sysctlNamespace = (name: string): "net" | "ipc" | undefined => {
  if (name.startsWith("net.")) return "net"
  return ipcSysctl.test(name) ? "ipc" : undefined
}

const checkSysctls = (errors: ErrorList, sysctls: PodSecurityContext["sysctls"], spec: PodSpec, path: string): void => {
  const seen = new Set<string>()
  sysctls?.forEach(({ name = "" }, index) => {
    const at = `${path}[${index}].name`
    if (name === "") errors.required(at)
    else if (name.length > 253 || !new RegExp(sysctlPattern).test(name)) {
      errors.invalid(at, name, `must have at most 253 characters and match regex ${sysctlPattern}`)
    } else if (seen.has(name)) errors.duplicate(at, name)
    const namespace = sysctlNamespace(withDots(name))
    if (spec.hostNetwork && namespace === "net") {
      errors.invalid(at, name, "may not be specified when 'hostNetwork' is true")
    } else if (spec.hostIPC && namespace === "ipc") {
      errors.invalid(at, name, "may not be specified when 'hostIPC' is true")
    }
    seen.add(name)
  })
}

const changePolicies = ["Always", "OnRootMismatch"]
const groupsPolicies = ["Merge", "Strict"]
/** Without the gate SELinuxMount there is one. */
const seLinuxPolicies = ["Recursive"]
const procMounts = ["Default", "Unmasked"]

/** Checks that a field, if it is set, has one of these values. */
const checkOneOf = (errors: ErrorList, value: unknown, values: ReadonlyArray<string>, path: string): void => {
  if (typeof value === "string" && !values.includes(value)) errors.notSupported(path, value, values)
}

/** Validates the pod-level security context. */
export const validatePodSecurityContext = (errors: ErrorList, spec: PodSpec, path: string): void => {
  const context = spec.securityContext
  if (context === undefined) return
  const values = context as Readonly<Record<string, unknown>>
  checkId(errors, context.fsGroup, `${path}.fsGroup`)
  checkId(errors, context.runAsUser, `${path}.runAsUser`)
  checkId(errors, context.runAsGroup, `${path}.runAsGroup`)
  context.supplementalGroups?.forEach((group, index) => {
    checkId(errors, group, `${path}.supplementalGroups[${index}]`)
  })
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled")
  }
  checkSysctls(errors, context.sysctls, spec, `${path}.sysctls`)
  checkOneOf(errors, values.fsGroupChangePolicy, changePolicies, `${path}.fsGroupChangePolicy`)
  checkSeccomp(errors, context.seccompProfile, `${path}.seccompProfile`)
  validateWindowsOptions(errors, values, path)
  checkAppArmor(errors, context.appArmorProfile, `${path}.appArmorProfile`)
  checkOneOf(errors, values.supplementalGroupsPolicy, groupsPolicies, `${path}.supplementalGroupsPolicy`)
  checkOneOf(errors, values.seLinuxChangePolicy, seLinuxPolicies, `${path}.seLinuxChangePolicy`)
}

/** Validates the security context of a container; `hostUsers` is whether the pod has the users of the host. */
export const validateContainerSecurityContext = (
  errors: ErrorList,
  context: Readonly<Record<string, unknown>> | undefined,
  path: string,
  hostUsers: boolean
): void => {
  if (context === undefined) return
  checkId(errors, context.runAsUser, `${path}.runAsUser`)
  checkId(errors, context.runAsGroup, `${path}.runAsGroup`)
  checkOneOf(errors, context.procMount, procMounts, `${path}.procMount`)
  if (hostUsers && context.procMount === "Unmasked") {
    errors.invalid(`${path}.procMount`, "Unmasked", "`hostUsers` must be false to use `Unmasked`")
  }
  checkSeccomp(errors, context.seccompProfile as Profile, `${path}.seccompProfile`)
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (what: string) => {
      const shown = internalJson("SecurityContext", context)
      errors.invalid(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`)
    }
    if (context.privileged === true) refuse("`privileged` to true")
    const { add } = (context.capabilities ?? {}) as { readonly add?: ReadonlyArray<string> }
    for (const name of add ?? []) if (name === "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN")
  }
  validateWindowsOptions(errors, context, path)
  checkAppArmor(errors, context.appArmorProfile as Profile, `${path}.appArmorProfile`)
}
