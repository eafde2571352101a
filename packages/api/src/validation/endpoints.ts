import type { Endpoint, EndpointAddress, EndpointSlice, EndpointSubset, Endpoints } from "../objects/Service.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { familyOf, parseIP, validateCanonicalIP, validateEndpointIP, validateIP } from "./ip.ts"
import { validateLabels } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  isValidPortNumber,
  type Messages,
  nameIsDNSSubdomain
} from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go ValidateEndpoints, pkg/apis/discovery/validation/validation.go. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const protocols = ["SCTP", "TCP", "UDP"]

const checkAddress = (errors: ErrorList, address: EndpointAddress, at: string): void => {
  const { hostname = "", ip, nodeName } = address
  validateIP(errors, ip, `${at}.ip`)
  if (hostname !== "") errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Label(hostname))
  if (nodeName !== undefined) errors.invalidEach(`${at}.nodeName`, nodeName, nameIsDNSSubdomain(nodeName, false))
  validateEndpointIP(errors, ip, `${at}.ip`)
}

const checkSubset = (errors: ErrorList, subset: EndpointSubset, at: string): void => {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.required(at, "must specify `addresses` or `notReadyAddresses`")
  }
  addresses.forEach((address, index) => {
    checkAddress(errors, address, `${at}.addresses[${index}]`)
  })
  notReadyAddresses.forEach((address, index) => {
    checkAddress(errors, address, `${at}.notReadyAddresses[${index}]`)
  })
  ports.forEach(({ appProtocol, name = "", port, protocol = "" }, index) => {
    const path = `${at}.ports[${index}]`
    if (ports.length > 1 && name === "") errors.required(`${path}.name`)
    else if (name !== "") errors.invalidEach(`${path}.name`, name, isDNS1123Label(name))
    errors.invalidEach(`${path}.port`, port, isValidPortNumber(port))
    if (protocol === "") errors.required(`${path}.protocol`)
    else if (!protocols.includes(protocol)) errors.notSupported(`${path}.protocol`, protocol, protocols)
    if (appProtocol !== undefined) errors.invalidEach(`${path}.appProtocol`, appProtocol, isQualifiedName(appProtocol))
  })
}

/** Validates endpoints; a list that an update leaves as it is was valid when it was stored. */
export const validateEndpoints = (endpoints: Endpoints, old?: Endpoints): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, endpoints.metadata, options)
  const { subsets } = endpoints
  if (old !== undefined && equalAs("core.v1.Endpoints", { subsets }, { subsets: old.subsets })) return errors.all
  subsets?.forEach((subset, index) => void checkSubset(errors, subset, `subsets[${index}]`))
  return errors.all
}

export const validateEndpointsUpdate = (endpoints: Endpoints, old: Endpoints): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, endpoints.metadata, old.metadata, options)
  errors.append(validateEndpoints(endpoints, old))
  return errors.all
}

const addressTypes = ["FQDN", "IPv4", "IPv6"]
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000

const MAX_TOPOLOGY_LABELS = 16
const MAX_HINTS = 8

/** Checks a domain name of at least two labels. Upstream: IsFullyQualifiedDomainName. */
const checkDomain = (errors: ErrorList, given: string, at: string): void => {
  if (given === "") {
    errors.required(at)
    return
  }
  const name = given.endsWith(".") ? given.slice(0, -1) : given
  const faults = isDNS1123Subdomain(name)
  const labels = name.split(".")
  if (faults.length > 0) errors.invalid(at, name, faults.join(","))
  else if (labels.length < 2) {
    errors.invalid(at, name, "should be a domain with at least two segments separated by dots")
  } else {
    const long = labels.find((label) => isDNS1123Label(label).length > 0)
    if (long !== undefined) errors.invalid(at, long, isDNS1123Label(long).join(","))
  }
}

const checkSliceAddress = (errors: ErrorList, address: string, type: string, at: string, index: number): void => {
  const path = `${at}[${index}]`
  if (type === "FQDN") {
    checkDomain(errors, address, path)
    return
  }
  if (type !== "IPv4" && type !== "IPv6") return
  const before = errors.size
  if (type === "IPv4") validateIP(errors, address, path)
  else validateCanonicalIP(errors, address, path)
  const parsed = parseIP(address)
  if (errors.size > before || parsed === undefined) return
  if (familyOf(parsed) !== (type === "IPv4" ? 4 : 6)) errors.invalid(at, address, `must be an ${type} address`)
  validateEndpointIP(errors, address, path)
}

interface Hints {
  readonly forZones?: ReadonlyArray<{ readonly name?: string }>
  readonly forNodes?: ReadonlyArray<{ readonly name?: string }>
}

const hintLists: ReadonlyArray<readonly [list: keyof Hints, rule: (name: string) => Messages]> = [
  ["forZones", isValidLabelValue],
  ["forNodes", (name) => nameIsDNSSubdomain(name, false)]
]

const checkHints = (errors: ErrorList, hints: Hints, at: string): void => {
  for (const [list, rule] of hintLists) {
    const given = hints[list] ?? []
    if (given.length > MAX_HINTS) {
      errors.tooMany(`${at}.${list}`, given.length, MAX_HINTS)
      return
    }
    const names = given.map(({ name = "" }) => name)
    names.forEach((name, index) => {
      const path = `${at}.${list}[${index}].name`
      if (names.indexOf(name) < index) errors.duplicate(path, name)
      errors.invalidEach(path, name, rule(name))
    })
  }
}

const checkEndpoint = (errors: ErrorList, endpoint: Endpoint, addressType: string, at: string): void => {
  const { addresses = [], deprecatedTopology, hints, hostname, nodeName } = endpoint
  const path = `${at}.addresses`
  if (addresses.length === 0) errors.required(path, "must contain at least 1 address")
  else if (addresses.length > MAX_ADDRESSES) errors.tooMany(path, addresses.length, MAX_ADDRESSES)
  addresses.forEach((address, index) => void checkSliceAddress(errors, address, addressType, path, index))
  if (nodeName !== undefined) errors.invalidEach(`${at}.nodeName`, nodeName, nameIsDNSSubdomain(nodeName, false))
  const labels = Object.keys(deprecatedTopology ?? {}).length
  if (labels > MAX_TOPOLOGY_LABELS) errors.tooMany(`${at}.deprecatedTopology`, labels, MAX_TOPOLOGY_LABELS)
  validateLabels(errors, deprecatedTopology, `${at}.deprecatedTopology`)
  if (hostname !== undefined) errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Label(hostname))
  if (hints !== undefined) checkHints(errors, hints as Hints, `${at}.hints`)
}

const checkSlicePorts = (errors: ErrorList, ports: NonNullable<EndpointSlice["ports"]>): void => {
  if (ports.length > MAX_PORTS) {
    errors.tooMany("ports", ports.length, MAX_PORTS)
    return
  }
  const names = new Set<string>()
  ports.forEach(({ appProtocol, name = "", protocol }, index) => {
    const at = `ports[${index}]`
    if (name !== "") errors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    if (names.has(name)) errors.duplicate(`${at}.name`, name)
    names.add(name)
    if (protocol === undefined) errors.required(`${at}.protocol`)
    else if (!protocols.includes(protocol)) errors.notSupported(`${at}.protocol`, protocol, protocols)
    if (appProtocol !== undefined) errors.invalidEach(`${at}.appProtocol`, appProtocol, isQualifiedName(appProtocol))
  })
}

const sameEndpoints = (endpoints: ReadonlyArray<Endpoint>, old: ReadonlyArray<Endpoint>): boolean =>
  endpoints.length === old.length &&
  endpoints.every((endpoint, index) => equalAs("discovery.v1.Endpoint", endpoint, old[index]))

export const validateEndpointSlice = (slice: EndpointSlice, old?: EndpointSlice): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, slice.metadata, options)
  const { addressType, endpoints, ports } = slice
  if (addressType === "") errors.required("addressType")
  else if (!addressTypes.includes(addressType)) errors.notSupported("addressType", addressType, addressTypes)
  checkSlicePorts(errors, ports ?? [])
  if (old !== undefined && sameEndpoints(endpoints ?? [], old.endpoints ?? [])) return errors.all
  if ((endpoints?.length ?? 0) > MAX_ENDPOINTS) errors.tooMany("endpoints", endpoints?.length ?? 0, MAX_ENDPOINTS)
  else endpoints?.forEach((endpoint, index) => void checkEndpoint(errors, endpoint, addressType, `endpoints[${index}]`))
  return errors.all
}

export const validateEndpointSliceUpdate = (slice: EndpointSlice, old: EndpointSlice): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validateEndpointSlice(slice, old))
  if (slice.addressType !== old.addressType)
    errors.invalid("addressType", typed(slice.addressType), "field is immutable")
  return errors.all
}
