import type { IPAddress, ParentReference, ServiceCIDR } from "../objects/ServiceCIDR.ts"
import { isUnsetList } from "../wire/decode/goTypes.ts"
import { ErrorList } from "./ErrorList.ts"
import { goStruct } from "./goStruct.ts"
import { familyOf, parseCIDR, validateCanonicalCIDR, validateCanonicalIP } from "./ip.ts"
import { makeRules } from "./makeRules.ts"
import { validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Subdomain, type NameRule, nameIsPathSegment } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/networking/validation/validation.go, ValidateIPAddress and ValidateServiceCIDR. */

const immutable = "field is immutable"

const nameIsAddress: NameRule = (name) => {
  const errors = new ErrorList()
  validateCanonicalIP(errors, name, "")
  return errors.all.map(({ detail }) => detail)
}

const checkParent = (errors: ErrorList, parent: ParentReference | undefined): void => {
  const at = "spec.parentRef"
  if (parent === undefined) {
    errors.required(at)
    return
  }
  const { group = "", namespace = "" } = parent
  if (group !== "") errors.invalidEach(`${at}.group`, group, isDNS1123Subdomain(group))
  for (const field of ["resource", "name"] as const) {
    const value = parent[field] ?? ""
    if (value === "") errors.required(`${at}.${field}`)
    else errors.invalidEach(`${at}.${field}`, value, nameIsPathSegment(value, false))
  }
  if (namespace !== "") errors.invalidEach(`${at}.namespace`, namespace, nameIsPathSegment(namespace, false))
}

export const ipAddressRules = makeRules<IPAddress>("Cluster", {
  name: nameIsAddress,
  onUpdate: "first",
  check: (errors, { spec }) => checkParent(errors, spec?.parentRef),
  changed: (errors, { spec }, old) => {
    if (!semanticEqual(spec?.parentRef, old.spec?.parentRef)) {
      const shown = spec?.parentRef && goStruct(spec.parentRef, "io.k8s.api.networking.v1.ParentReference")
      errors.invalid("spec.parentRef", shown ?? null, immutable)
    }
  }
})

const familyAt = (range: string | undefined) => {
  const cidr = parseCIDR(range ?? "")
  return cidr && familyOf(cidr.address)
}

const checkRanges = (errors: ErrorList, cidrs: ReadonlyArray<string>): void => {
  const at = "spec.cidrs"
  if (cidrs.length === 0) {
    errors.required(at, "at least one CIDR required")
    return
  }
  if (cidrs.length > 2) {
    errors.invalid(at, { CIDRs: cidrs }, "may only hold up to 2 values")
    return
  }
  cidrs.forEach((cidr, index) => {
    validateCanonicalCIDR(errors, cidr, `${at}[${index}]`)
  })
  const [first, second] = cidrs
  if (cidrs.length < 2 || familyAt(first) === undefined || familyAt(first) !== familyAt(second)) return
  const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
  errors.invalid(at, cidrs, detail)
}

type Ranges = ReadonlyArray<string> | undefined

const checkChange = (errors: ErrorList, given: Ranges, before: ReadonlyArray<string>): void => {
  const at = "spec.cidrs"
  const cidrs = given ?? []
  const isAdded = before.length === 1 && cidrs.length === 2
  if (cidrs.length !== before.length && !isAdded) {
    errors.invalid(at, given === undefined || isUnsetList(given) ? null : given, immutable)
    return
  }
  before.forEach((cidr, index) => {
    if (cidrs[index] !== cidr) errors.invalid(`${at}[${index}]`, cidrs[index], immutable)
  })
  if (isAdded) checkRanges(errors, cidrs)
}

export const serviceCIDRRules = {
  ...makeRules<ServiceCIDR>("Cluster", {
    onUpdate: "change",
    check: (errors, { spec }, old) => {
      if (old === undefined) checkRanges(errors, spec?.cidrs ?? [])
      else checkChange(errors, spec?.cidrs, old.spec?.cidrs ?? [])
    }
  }),
  updateStatus: (object: ServiceCIDR, old: ServiceCIDR) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })
    return errors.all
  }
}
