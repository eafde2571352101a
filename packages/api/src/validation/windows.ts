import type { PodSpec } from "../objects/Pod.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { isDNS1123Subdomain } from "./names.ts"
import { visitContainers } from "./visitContainers.ts"

/*
 * The rules of pods for Windows, and of Windows' options. Upstream: pkg/apis/core/validation/validation.go,
 * validateWindowsSecurityContextOptions, validateWindowsHostProcessPod, validateWindows and validateLinux.
 */

/** Windows' options of a pod or a container; the fields are not modelled otherwise. */
interface WindowsOptions {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}

type SecurityContext = Readonly<Record<string, unknown>> | undefined

const optionsOf = (context: SecurityContext): WindowsOptions | undefined =>
  (context?.windowsOptions ?? undefined) as WindowsOptions | undefined

const maxCredentialSpecBytes = 64 * 1024
const maxDomainLength = 256
const maxUserLength = 104

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
/** A name in the form of DNS, which upstream also looks for inside a longer text. */
const dnsName = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/

const userFaults = (user: string): ReadonlyArray<string> => [
  ...(user === "" ? ["runAsUserName's User cannot be empty"] : []),
  ...(user.length > maxUserLength
    ? [`runAsUserName's User length must not be longer than ${maxUserLength} characters`]
    : []),
  ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
  ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
    ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
    : [])
]

const domainFaults = (domain: string): ReadonlyArray<string> => [
  ...(domain.length >= maxDomainLength
    ? [`runAsUserName's Domain length must be under ${maxDomainLength} characters`]
    : []),
  ...(netBiosName.test(domain) || dnsName.test(domain)
    ? []
    : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"])
]

const userNameFaults = (name: string): ReadonlyArray<string> => {
  if (name === "") return ["runAsUserName cannot be an empty string"]
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"]
  const parts = name.split("\\")
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"]
  const [first = "", second] = parts
  return second === undefined ? userFaults(first) : [...domainFaults(first), ...userFaults(second)]
}

/** Validates the options of Windows in a security context. */
export const validateWindowsOptions = (errors: ErrorList, context: SecurityContext, path: string): void => {
  const options = optionsOf(context)
  if (options === undefined) return
  const at = `${path}.windowsOptions`
  const { gmsaCredentialSpec: spec, gmsaCredentialSpecName: specName, runAsUserName } = options
  if (specName !== undefined) {
    errors.invalidEach(`${at}.gmsaCredentialSpecName`, typed(specName), isDNS1123Subdomain(specName))
  }
  if (spec === "")
    errors.invalid(`${at}.gmsaCredentialSpec`, typed(spec), "gmsaCredentialSpec cannot be an empty string")
  else if (spec !== undefined && spec.length > maxCredentialSpecBytes) {
    errors.invalid(`${at}.gmsaCredentialSpec`, typed(spec), "gmsaCredentialSpec size must be under 64 KiB")
  }
  if (runAsUserName !== undefined) {
    errors.invalidEach(`${at}.runAsUserName`, typed(runAsUserName), userNameFaults(runAsUserName))
  }
}

/** Checks that a pod with host process containers has only those, and uses the network of the host. */
export const validateHostProcess = (errors: ErrorList, spec: PodSpec, path: string): void => {
  const ofPod = optionsOf(spec.securityContext as SecurityContext)?.hostProcess
  let [containers, hostProcesses] = [0, 0]
  visitContainers(spec, path, ({ securityContext }, at) => {
    containers++
    const own = optionsOf(securityContext as SecurityContext)?.hostProcess
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
      errors.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, detail)
    }
    if (own ?? ofPod) hostProcesses++
  })
  if (hostProcesses === 0) return
  if (hostProcesses !== containers) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
    errors.invalid(path, "", detail)
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers"
    errors.invalid(`${path}.hostNetwork`, false, detail)
  }
}

/** The fields that a pod for Windows cannot have, in the order of their errors; those of the context of the pod first. */
const linuxPodFields = [
  "securityContext.appArmorProfile",
  "securityContext.seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "securityContext.seccompProfile",
  "securityContext.fsGroup",
  "securityContext.fsGroupChangePolicy",
  "securityContext.sysctls",
  "shareProcessNamespace",
  "securityContext.runAsUser",
  "securityContext.runAsGroup",
  "securityContext.supplementalGroups",
  "securityContext.supplementalGroupsPolicy",
  "securityContext.seLinuxChangePolicy"
]
const linuxContainerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup"
]
/** Fields that Go cannot tell from absent ones when they are false or empty. */
const unlessEmpty: ReadonlySet<string> = new Set(["hostPID", "hostIPC", "securityContext.sysctls"])

const isSet = (value: unknown, field: string): boolean => {
  if (value === undefined || value === null) return false
  return !unlessEmpty.has(field) || (Array.isArray(value) ? value.length > 0 : value !== false)
}

const checkWindows = (errors: ErrorList, spec: PodSpec, path: string): void => {
  const fields: Readonly<Record<string, unknown>> = {
    ...spec,
    ...Object.fromEntries(
      Object.entries(spec.securityContext ?? {}).map(([field, value]) => [`securityContext.${field}`, value])
    )
  }
  for (const field of linuxPodFields) {
    if (isSet(fields[field], field)) errors.forbidden(`${path}.${field}`, "cannot be set for a windows pod")
  }
  visitContainers(spec, path, ({ securityContext }, at) => {
    const context = securityContext as SecurityContext
    for (const field of linuxContainerFields) {
      if (!isSet(context?.[field], field)) continue
      errors.forbidden(`${at}.securityContext.${field}`, "cannot be set for a windows pod")
    }
  })
}

const checkLinux = (errors: ErrorList, spec: PodSpec, path: string): void => {
  const check = (context: SecurityContext, at: string) => {
    if (optionsOf(context) === undefined) return
    errors.forbidden(`${at}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod")
  }
  check(spec.securityContext as SecurityContext, path)
  visitContainers(spec, path, ({ securityContext }, at) => check(securityContext as SecurityContext, at))
}

/** Checks the operating system of a pod, and that the pod has no field of the other one. */
export const validateOS = (errors: ErrorList, spec: PodSpec, path: string): void => {
  if (spec.os === undefined) return
  const name: string = spec.os.name ?? ""
  if (name === "") errors.required(`${path}.os.name`)
  else if (name === "linux") checkLinux(errors, spec, path)
  else if (name === "windows") checkWindows(errors, spec, path)
  else errors.notSupported(`${path}.os`, name, ["linux", "windows"])
}
