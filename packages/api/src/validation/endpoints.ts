import type { EndpointAddress, EndpointSlice, EndpointSubset, Endpoints } from "../objects/Service.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { familyOf, parseIP, validateIP } from "./ip.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Label, isDNS1123Subdomain, isValidPortNumber, nameIsDNSSubdomain } from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go ValidateEndpoints, pkg/apis/discovery/validation/validation.go. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const protocols = ["SCTP", "TCP", "UDP"]

const checkAddress = (errors: ErrorList, address: EndpointAddress, at: string): void => {
  const { hostname = "", ip, nodeName } = address
  validateIP(errors, ip, `${at}.ip`)
  if (hostname !== "") errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Label(hostname))
  if (nodeName !== undefined) errors.invalidEach(`${at}.nodeName`, nodeName, nameIsDNSSubdomain(nodeName, false))
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
  ports.forEach(({ name = "", port, protocol = "" }, index) => {
    const path = `${at}.ports[${index}]`
    if (ports.length > 1 && name === "") errors.required(`${path}.name`)
    else if (name !== "") errors.invalidEach(`${path}.name`, name, isDNS1123Label(name))
    errors.invalidEach(`${path}.port`, port, isValidPortNumber(port))
    if (protocol === "") errors.required(`${path}.protocol`)
    else if (!protocols.includes(protocol)) errors.notSupported(`${path}.protocol`, protocol, protocols)
  })
}

export const validateEndpoints = (endpoints: Endpoints): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, endpoints.metadata, options)
  endpoints.subsets?.forEach((subset, index) => {
    checkSubset(errors, subset, `subsets[${index}]`)
  })
  return errors.all
}

export const validateEndpointsUpdate = (endpoints: Endpoints, old: Endpoints): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, endpoints.metadata, old.metadata)
  errors.append(validateEndpoints(endpoints))
  return errors.all
}

const addressTypes = ["FQDN", "IPv4", "IPv6"]
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000

const checkSliceAddress = (errors: ErrorList, address: string, type: string, at: string): void => {
  if (type === "FQDN") {
    errors.invalidEach(at, address, isDNS1123Subdomain(address))
    return
  }
  validateIP(errors, address, at)
  const parsed = parseIP(address)
  if (parsed === undefined) return
  if (type === "IPv4" && familyOf(parsed) !== 4) errors.invalid(at, address, "must be a valid IPv4 address")
  if (type === "IPv6" && familyOf(parsed) !== 6) errors.invalid(at, address, "must be a valid IPv6 address")
}

const checkEndpoints = (errors: ErrorList, { addressType, endpoints = [] }: EndpointSlice): void => {
  if (endpoints.length > MAX_ENDPOINTS) {
    errors.tooMany("endpoints", endpoints.length, MAX_ENDPOINTS)
    return
  }
  endpoints.forEach(({ addresses = [], hostname, nodeName }, index) => {
    const at = `endpoints[${index}]`
    if (addresses.length === 0) errors.required(`${at}.addresses`, "must contain at least 1 address")
    else if (addresses.length > MAX_ADDRESSES) errors.tooMany(`${at}.addresses`, addresses.length, MAX_ADDRESSES)
    addresses.forEach((address, place) => {
      checkSliceAddress(errors, address, addressType, `${at}.addresses[${place}]`)
    })
    if (nodeName !== undefined) errors.invalidEach(`${at}.nodeName`, nodeName, nameIsDNSSubdomain(nodeName, false))
    if (hostname !== undefined) errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Label(hostname))
  })
}

const checkSlicePorts = (errors: ErrorList, ports: NonNullable<EndpointSlice["ports"]>): void => {
  if (ports.length > MAX_PORTS) {
    errors.tooMany("ports", ports.length, MAX_PORTS)
    return
  }
  const names = new Set<string>()
  ports.forEach(({ name = "", protocol }, index) => {
    const at = `ports[${index}]`
    if (name !== "") errors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    if (names.has(name)) errors.duplicate(`${at}.name`, name)
    names.add(name)
    if (protocol === undefined) errors.required(`${at}.protocol`)
    else if (!protocols.includes(protocol)) errors.notSupported(`${at}.protocol`, protocol, protocols)
  })
}

export const validateEndpointSlice = (slice: EndpointSlice): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, slice.metadata, options)
  const { addressType } = slice
  if (addressType === "") errors.required("addressType")
  else if (!addressTypes.includes(addressType)) errors.notSupported("addressType", addressType, addressTypes)
  checkEndpoints(errors, slice)
  checkSlicePorts(errors, slice.ports ?? [])
  return errors.all
}

export const validateEndpointSliceUpdate = (slice: EndpointSlice, old: EndpointSlice): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validateEndpointSlice(slice))
  validateObjectMetaUpdate(errors, slice.metadata, old.metadata)
  if (slice.addressType !== old.addressType) errors.invalid("addressType", slice.addressType, "field is immutable")
  return errors.all
}
