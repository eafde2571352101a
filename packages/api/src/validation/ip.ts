import type { ErrorList } from "./ErrorList.ts"
import { goQuote } from "./goFormat.ts"

/** An IP address as a number. */
export interface IPAddress {
  readonly family: 4 | 6
  readonly bits: bigint
  /** Whether it is an IPv4 address written as `::ffff:1.2.3.4`. */
  readonly mapped: boolean
  /** Whether an octet has a leading zero, which some parsers ignore, while others read the octet as octal. */
  readonly leadingZero: boolean
}

const parseIPv4 = (text: string): IPAddress | undefined => {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined
  let bits = 0n
  let leadingZero = false
  for (const octet of text.split(".")) {
    const value = Number(octet)
    if (value > 255) return undefined
    if (octet.length > 1 && octet.startsWith("0")) leadingZero = true
    bits = bits * 256n + BigInt(value)
  }
  return { family: 4, bits, mapped: false, leadingZero }
}

/** Parses the 16-bit groups of one side of a `::`. */
const parseGroups = (text: string): { groups: ReadonlyArray<bigint>; leadingZero: boolean } | undefined => {
  if (text === "") return { groups: [], leadingZero: false }
  const groups: Array<bigint> = []
  let leadingZero = false
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`))
    else {
      const tail = index === parts.length - 1 ? parseIPv4(part) : undefined
      if (tail === undefined) return undefined
      groups.push(tail.bits >> 16n, tail.bits & 0xffffn)
      leadingZero = tail.leadingZero
    }
  }
  return { groups, leadingZero }
}

const parseIPv6 = (text: string): IPAddress | undefined => {
  const gap = text.indexOf("::")
  const head = parseGroups(gap < 0 ? text : text.slice(0, gap))
  const tail = gap < 0 ? { groups: [], leadingZero: false } : parseGroups(text.slice(gap + 2))
  if (head === undefined || tail === undefined) return undefined
  // An embedded IPv4 address must be last.
  if (gap >= 0 && text.slice(0, gap).includes(".")) return undefined
  const missing = 8 - head.groups.length - tail.groups.length
  if (gap < 0 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head.groups, ...Array.from({ length: missing }, () => 0n), ...tail.groups]
  const bits = groups.reduce((sum, group) => (sum << 16n) | group, 0n)
  return { family: 6, bits, mapped: bits >> 32n === 0xffffn, leadingZero: head.leadingZero || tail.leadingZero }
}

/** Parses an address without a zone, in any spelling that Kubernetes ever accepted. */
export const parseIP = (text: string): IPAddress | undefined => (text.includes(":") ? parseIPv6(text) : parseIPv4(text))

/** Returns the family as Go's net package sees it: a mapped address is IPv4. */
export const familyOf = (address: IPAddress): 4 | 6 => (address.mapped ? 4 : address.family)

/** Formats IPv6 groups, with the longest run of at least two zeros as `::`. */
const formatIPv6 = (groups: ReadonlyArray<string>): string => {
  let start = -1
  let length = 1
  for (let at = 0; at < groups.length; at++) {
    let end = at
    while (groups[end] === "0") end++
    if (end - at > length) {
      start = at
      length = end - at
    }
    at = Math.max(at, end - 1)
  }
  return start < 0 ? groups.join(":") : `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`
}

/** Formats an address as Go does: RFC 5952, a mapped one as IPv4. */
export const formatIP = (address: IPAddress): string => {
  const part = (index: number, size: bigint) => (address.bits >> (size * BigInt(index))) & ((1n << size) - 1n)
  return familyOf(address) === 4
    ? [3, 2, 1, 0].map((index) => part(index, 8n)).join(".")
    : formatIPv6([7, 6, 5, 4, 3, 2, 1, 0].map((index) => part(index, 16n).toString(16)))
}

export interface CIDR {
  readonly address: IPAddress
  readonly length: number
  readonly leadingZero: boolean
}

/** Parses `address/length` in any spelling that Kubernetes ever accepted. */
export const parseCIDR = (text: string): CIDR | undefined => {
  const slash = text.indexOf("/")
  const lengthText = text.slice(slash + 1)
  if (slash < 0 || !/^\d+$/.test(lengthText)) return undefined
  const address = parseIP(text.slice(0, slash))
  const length = Number(lengthText)
  if (address === undefined || length > (address.family === 4 ? 32 : 128)) return undefined
  return { address, length, leadingZero: address.leadingZero || (lengthText.length > 1 && lengthText.startsWith("0")) }
}

const noAddresses: ReadonlySet<string> = new Set()
const plainIPv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * Checks an address in a field that predates strict parsing: ambiguous spellings are rejected since 1.36, except one
 * that the stored object already has. Upstream: apimachinery/pkg/util/validation/ip.go, IsValidIPForLegacyField.
 */
export const validateIP = (
  errors: ErrorList,
  value: string,
  path: string,
  stored: ReadonlySet<string> = noAddresses
): void => {
  if (plainIPv4.test(value) || stored.has(value)) return
  const address = parseIP(value)
  if (address === undefined) {
    errors.invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
  } else if (address.leadingZero) errors.invalid(path, value, "must not have leading 0s")
  else if (address.mapped) errors.invalid(path, value, "must not be an IPv4-mapped IPv6 address")
}

/** Returns the bits of an address as Go's net package sees it: a mapped one has 32. */
const bitsOf = (address: IPAddress): bigint => (familyOf(address) === 4 ? address.bits & 0xffffffffn : address.bits)

/** The ranges, by their first bits, that no endpoint and no external IP may be in. */
const specialRanges: ReadonlyArray<readonly [family: 4 | 6, prefix: bigint, length: number, message: string]> = [
  [4, 0x7fn, 8, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [6, 1n, 128, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [4, 0xa9fen, 16, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [6, 0x3fan, 10, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [4, 0xe00000n, 24, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  [6, 0xff02n, 16, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]
]

/** Checks that traffic can be sent to an address from elsewhere. Upstream: ValidateEndpointIP. */
export const validateEndpointIP = (errors: ErrorList, value: string, path: string): void => {
  const address = parseIP(value)
  if (address === undefined) {
    errors.invalid(path, value, "must be a valid IP address")
    return
  }
  const family = familyOf(address)
  const bits = bitsOf(address)
  if (bits === 0n) errors.invalid(path, value, `may not be unspecified (${value})`)
  for (const [of, prefix, length, message] of specialRanges) {
    if (of === family && bits >> BigInt((family === 4 ? 32 : 128) - length) === prefix) {
      errors.invalid(path, value, message)
    }
  }
}

/** Checks an address in a field that has always required the canonical form. Upstream: IsValidIP. */
export const validateCanonicalIP = (errors: ErrorList, value: string, path: string): boolean => {
  const before = errors.size
  validateIP(errors, value, path)
  const address = parseIP(value)
  if (errors.size === before && address !== undefined && formatIP(address) !== value) {
    errors.invalid(path, value, `must be in canonical form (${goQuote(formatIP(address))})`)
  }
  return errors.size === before
}

/** Returns the warning for an accepted address that is not in standard form. Upstream: GetWarningsForIP. */
export const ipWarnings = (value: string, path: string): ReadonlyArray<string> => {
  const address = parseIP(value)
  if (address === undefined) return []
  const canonical = goQuote(formatIP(address))
  if (address.leadingZero || address.mapped) {
    return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${canonical}`]
  }
  return formatIP(address) === value
    ? []
    : [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${canonical})`]
}

/** Returns the subnet that an address and length are in. */
const subnetOf = ({ address, length }: CIDR): string => {
  const host = BigInt((address.family === 4 ? 32 : 128) - length)
  const masked = { ...address, bits: (address.bits >> host) << host }
  return `${formatIP(masked)}/${familyOf(address) === address.family ? length : length - 96}`
}

/** Returns the warnings for an accepted subnet that is not in standard form. Upstream: GetWarningsForCIDR. */
export const cidrWarnings = (value: string, path: string): ReadonlyArray<string> => {
  const cidr = parseCIDR(value)
  if (cidr === undefined) return []
  const { address } = cidr
  const [shown, subnet] = [goQuote(value), subnetOf(cidr)]
  const warnings: Array<string> = []
  const single = formatIP(address)
  if (subnet.slice(0, subnet.indexOf("/")) !== single) {
    const host = goQuote(`${single}/${familyOf(address) === 4 ? 32 : 128}`)
    warnings.push(
      `${path}: CIDR value ${shown} is ambiguous in this context (should be ${goQuote(subnet)} or ${host}?)`
    )
  }
  if (cidr.leadingZero || address.mapped) {
    warnings.push(`${path}: non-standard CIDR value ${shown} is invalid: use ${goQuote(subnet)}`)
  }
  if (warnings.length === 0 && address.family === 6 && subnet !== value) {
    warnings.push(`${path}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${goQuote(subnet)})`)
  }
  return warnings
}

/** Checks a subnet as `validateIP` checks an address. */
export const validateCIDR = (
  errors: ErrorList,
  value: string,
  path: string,
  stored: ReadonlySet<string> = noAddresses
): void => {
  if (stored.has(value)) return
  const cidr = parseCIDR(value)
  if (cidr === undefined) {
    errors.invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
    return
  }
  const hostBits = BigInt((cidr.address.family === 4 ? 32 : 128) - cidr.length)
  if (cidr.leadingZero) errors.invalid(path, value, "must not have leading 0s in IP or prefix length")
  else if (cidr.address.mapped) errors.invalid(path, value, "must not have an IPv4-mapped IPv6 address")
  else if ((cidr.address.bits & ((1n << hostBits) - 1n)) !== 0n) {
    errors.invalid(path, value, "must not have bits set beyond the prefix length")
  }
}

/** Checks a subnet in a field that has always required the canonical form. Upstream: IsValidCIDR. */
export const validateCanonicalCIDR = (errors: ErrorList, value: string, path: string): void => {
  const before = errors.size
  validateCIDR(errors, value, path)
  const cidr = parseCIDR(value)
  if (errors.size > before || cidr === undefined) return
  const canonical = `${formatIP(cidr.address)}/${cidr.length}`
  if (canonical !== value) errors.invalid(path, value, `must be in canonical form (${goQuote(canonical)})`)
}

/** Checks the address of an interface with the length of its subnet. Upstream: IsValidInterfaceAddress. */
export const validateInterfaceAddress = (errors: ErrorList, value: string, path: string): void => {
  const cidr = parseCIDR(value)
  if (cidr === undefined) {
    errors.invalid(path, value, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")
    return
  }
  const { address, length } = cidr
  const canonical = `${formatIP(address)}/${familyOf(address) === 4 && length > 32 ? length - 96 : length}`
  if (value !== canonical) errors.invalid(path, value, `must be in canonical form (${goQuote(canonical)})`)
}

/** Whether there is exactly one address of each family. */
export const isDualStack = (addresses: ReadonlyArray<IPAddress | undefined>): boolean => {
  const families = addresses.map((address) => (address === undefined ? undefined : familyOf(address)))
  return families.length === 2 && families.includes(4) && families.includes(6)
}
