import type { ServiceSpec } from "@rollcall/api"
import { type ErrorList, familyOf, parseIP, typed, validateClusterIPs } from "@rollcall/api/validation"
import { sameClusterIPs, sameTexts } from "../../objects/clusterIPs.ts"

/*
 * The IP families of services, on a cluster that has IPv4 only. Upstream:
 * pkg/registry/core/service/storage/alloc.go, initIPFamilyFields.
 */

/** Whether a service that prefers two stacks stays as it is: a change of the cluster neither adds nor removes an address. */
const keepsPreference = (spec: ServiceSpec, old: ServiceSpec): boolean =>
  spec.type === old.type &&
  spec.ipFamilyPolicy === "PreferDualStack" &&
  (old.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
  sameClusterIPs(spec, old) &&
  sameTexts(spec.ipFamilies, old.ipFamilies)

/** Whether the service's owner sets its endpoints, of either family: it is headless and selects nothing. */
const isOpen = ({ clusterIP, selector = {} }: ServiceSpec): boolean =>
  clusterIP === "None" && Object.keys(selector).length === 0

/** Returns the family policy of a service that names none. */
const policyOf = (spec: ServiceSpec, old: ServiceSpec | undefined) =>
  spec.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? (isOpen(spec) ? "RequireDualStack" : "SingleStack")

const policyPath = "spec.ipFamilyPolicy"

/** Returns the spec without the second address and family if the policy has become SingleStack; otherwise they must stay. */
const withReleases = (errors: ErrorList, spec: ServiceSpec, old: ServiceSpec): ServiceSpec => {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  if (ipFamilyPolicy === "SingleStack") {
    return {
      ...spec,
      ...(clusterIPs.length > 1 && sameClusterIPs(spec, old) ? { clusterIPs: clusterIPs.slice(0, 1) } : {}),
      ...(ipFamilies.length > 1 && sameTexts(ipFamilies, old.ipFamilies) ? { ipFamilies: ipFamilies.slice(0, 1) } : {})
    }
  }
  const checkReduced = (what: string, items: ReadonlyArray<string>, stored: ReadonlyArray<string> = []) => {
    if (items.length === 0 || items.length >= stored.length) return
    errors.invalid(policyPath, typed(ipFamilyPolicy), `must be 'SingleStack' to release the secondary ${what}`)
  }
  checkReduced("cluster IP", clusterIPs, old.clusterIPs)
  checkReduced("IP family", ipFamilies, old.ipFamilies)
  return spec
}

const checkSingleStack = (errors: ErrorList, { clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: ServiceSpec) => {
  if (ipFamilyPolicy !== "SingleStack") return
  const checkCount = (what: string, count: number) => {
    if (count !== 2) return
    const message = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    errors.invalid(policyPath, typed(ipFamilyPolicy), message)
  }
  checkCount("cluster IPs", clusterIPs.length)
  checkCount("IP families", ipFamilies.length)
}

/** Returns the families with those of the addresses beyond them. */
const withInferredFamilies = (errors: ErrorList, spec: ServiceSpec): NonNullable<ServiceSpec["ipFamilies"]> => {
  const { clusterIPs = [], ipFamilies = [] } = spec
  if (clusterIPs[0] === "None") return ipFamilies
  const families = [...ipFamilies]
  clusterIPs.forEach((text, index) => {
    if (index < families.length) return
    const address = parseIP(text)
    if (address === undefined || familyOf(address) === 4) families.push("IPv4")
    else errors.invalid(`spec.clusterIPs[${index}]`, clusterIPs, "IPv6 is not configured on this cluster")
  })
  return families
}

/** Returns the spec with its IP families and their policy, or adds the errors for those that the cluster cannot have. */
export const withFamilies = (errors: ErrorList, given: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec => {
  if (given.type === "ExternalName" || (old !== undefined && keepsPreference(given, old))) return given
  let spec: ServiceSpec = { ...given, ipFamilyPolicy: policyOf(given, old) }
  validateClusterIPs(errors, spec, old)
  if (errors.size > 0) return spec
  if (old !== undefined) spec = withReleases(errors, spec, old)
  checkSingleStack(errors, spec)
  const ipFamilies = withInferredFamilies(errors, spec)
  if (errors.size > 0) return spec
  if (isOpen(spec)) {
    const [first = "IPv4", ...rest] = ipFamilies
    const second = rest.length === 0 && spec.ipFamilyPolicy !== "SingleStack"
    return { ...spec, ipFamilies: second ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : [first, ...rest] }
  }
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    errors.invalid(policyPath, typed(spec.ipFamilyPolicy), "this cluster is not configured for dual-stack services")
  }
  ipFamilies.forEach((family, index) => {
    if (family !== "IPv4") errors.invalid(`spec.ipFamilies[${index}]`, typed(family), "not configured on this cluster")
  })
  return { ...spec, ipFamilies: ipFamilies.length === 0 ? ["IPv4"] : ipFamilies }
}
