import type { ServiceSpec } from "../objects/Service.ts"
import { isHeadless } from "../services.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { familyOf, isDualStack, parseIP, validateIP } from "./ip.ts"

/*
 * The cluster IPs of services and the fields that go with them. Upstream: pkg/apis/core/validation/validation.go,
 * ValidateServiceClusterIPsRelatedFields and validateUpgradeDowngrade*.
 */

const families = ["IPv4", "IPv6"]
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"]

const isExternalName = ({ type }: ServiceSpec): boolean => type === "ExternalName"

const isIPv6 = (text: string): boolean => {
  const address = parseIP(text)
  return address !== undefined && familyOf(address) === 6
}

const checkFamilies = (errors: ErrorList, { ipFamilies = [], ipFamilyPolicy }: ServiceSpec): void => {
  ipFamilies.forEach((family, index) => {
    const path = `spec.ipFamilies[${index}]`
    if (!families.includes(family)) errors.notSupported(path, family, families)
    if (ipFamilies.indexOf(family) < index) errors.duplicate(path, typed(family))
  })
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy)) {
    errors.notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, familyPolicies)
  }
}

/** Checks each address by itself; returns whether all are valid. */
const checkEachAddress = (errors: ErrorList, clusterIPs: ReadonlyArray<string>, stored: ReadonlySet<string>) => {
  const before = errors.size
  clusterIPs.forEach((address, index) => {
    if (index > 0 || address !== "None") validateIP(errors, address, `spec.clusterIPs[${index}]`, stored)
    else if (clusterIPs.length > 1) {
      errors.invalid("spec.clusterIPs", clusterIPs, "'None' must be the first and only value")
    }
  })
  return errors.size === before
}

/** Checks the cluster IPs and IP families against each other. A service of type ExternalName has none. */
export const validateClusterIPs = (errors: ErrorList, spec: ServiceSpec, old: ServiceSpec | undefined): void => {
  if (isExternalName(spec)) return
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec
  const path = "spec.clusterIPs"
  if (clusterIP === "") {
    if (clusterIPs.length > 0) errors.invalid(path, clusterIPs, "must be empty when `clusterIP` is not specified")
  } else if (clusterIPs.length === 0) errors.required(path)
  else if (clusterIPs[0] !== clusterIP) errors.invalid(path, clusterIPs, "first value must match `clusterIP`")
  checkFamilies(errors, spec)
  const areValid = checkEachAddress(errors, clusterIPs, new Set(old?.clusterIPs))
  if (clusterIPs.length > 2) errors.invalid(path, clusterIPs, "may only hold up to 2 values")
  if (!areValid) return
  if (clusterIPs.length > 1 && !isDualStack(clusterIPs.map(parseIP))) {
    errors.invalid(path, clusterIPs, "may specify no more than one IP for each IP family")
  }
  if (isHeadless(spec)) return
  clusterIPs.forEach((address, index) => {
    const family = ipFamilies[index]
    if (family !== "IPv4" && family !== "IPv6") return
    if ((family === "IPv6") === isIPv6(address)) return
    errors.invalid(`${path}[${index}]`, address, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``)
  })
}

const unchangeableMessage = "may not change once set"
const releaseMessage = (what: string): string => `must be set to 'SingleStack' when releasing the secondary ${what}`

const checkChangedAddresses = (errors: ErrorList, spec: ServiceSpec, old: ServiceSpec): void => {
  const { clusterIPs: addresses = [] } = spec
  const { clusterIPs: stored = [] } = old
  if (stored.length === addresses.length) {
    stored.forEach((address, index) => {
      if (address !== addresses[index]) errors.invalid(`spec.clusterIPs[${index}]`, addresses, unchangeableMessage)
    })
    return
  }
  const isDowngrade = stored.length > addresses.length
  if (isDowngrade && addresses.length === 0) {
    errors.invalid("spec.clusterIPs[0]", spec.clusterIPs ?? null, "primary clusterIP can not be unset")
  }
  if (stored.length > 0 && addresses.length > 0 && stored[0] !== addresses[0]) {
    errors.invalid("spec.clusterIPs[0]", addresses, unchangeableMessage)
  }
  if (isDowngrade && addresses.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    errors.invalid("spec.ipFamilyPolicy", typed(spec.ipFamilyPolicy), releaseMessage("clusterIP"))
  }
}

const checkChangedFamilies = (errors: ErrorList, spec: ServiceSpec, old: ServiceSpec): void => {
  const { clusterIPs = [], ipFamilies: wanted = [] } = spec
  const { ipFamilies: stored = [] } = old
  const path = "spec.ipFamilies[0]"
  if (stored.length === wanted.length) {
    stored.forEach((family, index) => {
      if (family !== wanted[index]) errors.invalid(path, wanted, unchangeableMessage)
    })
    return
  }
  const isDowngrade = stored.length > wanted.length
  if (isDowngrade && clusterIPs.length === 0) errors.invalid(path, wanted, "primary ipFamily can not be unset")
  if (stored.length > 0 && wanted.length > 0 && stored[0] !== wanted[0]) {
    errors.invalid(path, clusterIPs, unchangeableMessage)
  }
  if (isDowngrade && wanted.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    errors.invalid("spec.ipFamilyPolicy", typed(spec.ipFamilyPolicy), releaseMessage("ipFamily"))
  }
}

/** Checks that an update keeps the primary address and family: only ExternalName services gain and lose them. */
export const validateChangedClusterIPs = (errors: ErrorList, spec: ServiceSpec, old: ServiceSpec): void => {
  if (isExternalName(spec) || isExternalName(old)) return
  const [headless, wasHeadless] = [isHeadless(spec), isHeadless(old)]
  if (!headless || !wasHeadless) checkChangedAddresses(errors, spec, old)
  if (!headless && !wasHeadless) checkChangedFamilies(errors, spec, old)
}
