import type { Device, ResourceClaim } from "@rollcall/api"

type Attribute = NonNullable<Device["attributes"]>[string]
type DeviceConstraint = NonNullable<NonNullable<ResourceClaim["spec"]["devices"]>["constraints"]>[number]

/** The request that a device is tried for; `alternative` is the name of one of its prioritized list. */
export interface RequestRef {
  readonly request: string
  readonly alternative: string | undefined
}

/** A rule about all devices of a claim, or those of some requests, with the devices that were added so far. */
export interface Constraint {
  /** Returns false, and adds nothing, if the device breaks the rule. */
  readonly add: (ref: RequestRef, device: Device, driver: string) => boolean
  /** Must be called for devices that were added, in reverse order. */
  readonly remove: (ref: RequestRef) => void
}

/** The attribute of a device; a name without a domain is of the driver's domain. Upstream: lookupAttribute. */
const attributeOf = ({ attributes = {} }: Device, driver: string, name: string): Attribute | undefined => {
  const found = attributes[name]
  if (found !== undefined) return found
  const at = name.indexOf("/")
  return at >= 0 && name.slice(0, at) === driver ? attributes[name.slice(at + 1)] : undefined
}

/** The value with its type; undefined for a value of another kind, which no constraint compares. */
const typedValue = ({ bool, int, string, version }: Attribute): string | undefined => {
  if (string !== undefined) return `string ${string}`
  if (int !== undefined) return `int ${int}`
  if (bool !== undefined) return `bool ${bool}`
  return version === undefined ? undefined : `version ${version}`
}

const isSubject = ({ requests = [] }: DeviceConstraint, { alternative, request }: RequestRef): boolean =>
  requests.length === 0 ||
  requests.includes(request) ||
  (alternative !== undefined && requests.includes(`${request}/${alternative}`))

/** All devices have the same value. */
const matchAttribute = (constraint: DeviceConstraint, attribute: string): Constraint => {
  let value: string | undefined
  let devices = 0
  return {
    add: (ref, device, driver) => {
      if (!isSubject(constraint, ref)) return true
      const found = attributeOf(device, driver, attribute)
      if (found === undefined) return false
      const next = typedValue(found)
      if (devices > 0 && (next === undefined || next !== value)) return false
      value = devices === 0 ? next : value
      devices++
      return true
    },
    remove: (ref) => {
      if (isSubject(constraint, ref)) devices--
    }
  }
}

/**
 * No two devices have the same value. As upstream, of several devices of one request only the last one's value is compared
 * with those of others: a request for three may get the same value for the first and the third.
 */
const distinctAttribute = (constraint: DeviceConstraint, attribute: string): Constraint => {
  const values = new Map<string, string>()
  let devices = 0
  return {
    add: (ref, device, driver) => {
      if (!isSubject(constraint, ref)) return true
      const found = attributeOf(device, driver, attribute)
      if (found === undefined) return false
      const value = typedValue(found)
      if (devices > 0 && (value === undefined || [...values.values()].includes(value))) return false
      values.set(ref.request, value ?? "")
      devices++
      return true
    },
    remove: (ref) => {
      if (!isSubject(constraint, ref)) return
      values.delete(ref.request)
      devices--
    }
  }
}

/** Makes a constraint without devices; undefined for one of a kind that is not known. */
export const makeConstraint = (constraint: DeviceConstraint): Constraint | undefined => {
  const { distinctAttribute: distinct, matchAttribute: match } = constraint
  if (match !== undefined) return matchAttribute(constraint, match)
  return distinct === undefined ? undefined : distinctAttribute(constraint, distinct)
}
