import { familyOf, formatIP, type IPAddress, parseIP } from "@rollcall/api/validation"

export type IPFamily = 4 | 6

/** The relevant bits: the last 32 of an IPv4-mapped IPv6 address. */
const bitsOf = (address: IPAddress): bigint => (address.mapped ? address.bits & 0xffffffffn : address.bits)

/** The first bits of an address. */
const starts = (address: IPAddress, length: number): bigint =>
  bitsOf(address) >> BigInt((familyOf(address) === 4 ? 32 : 128) - length)

const isLoopback = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? starts(address, 8) === 127n : bitsOf(address) === 1n

const isMulticast = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? starts(address, 4) === 0xen : starts(address, 8) === 0xffn

const isLinkLocal = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? starts(address, 16) === 0xa9fen : starts(address, 10) === 0x3fan

/** `0.0.0.0` and `::` stand for any address of their family. */
export const isUnspecified = (text: string): boolean => {
  const address = parseIP(text)
  return address !== undefined && bitsOf(address) === 0n
}

/** The family of a valid address. */
export const ipFamilyOf = (text: string): IPFamily => {
  const address = parseIP(text)
  return address === undefined ? 4 : familyOf(address)
}

/** The canonical form of an address, as Go prints it. */
export const canonicalIP = (text: string): string | undefined => {
  const address = parseIP(text)
  return address === undefined ? undefined : formatIP(address)
}

/**
 * Why an address is not valid for this machine; it must be on one of its interfaces, if these are known.
 * Upstream: pkg/kubelet/kubelet_node_status.go validateNodeIP.
 */
export const invalidNodeIP = (text: string, interfaceIPs: ReadonlyArray<string> | undefined): string | undefined => {
  const address = parseIP(text)
  if (address === undefined) return "nodeIP must be a valid IP address"
  if (isLoopback(address)) return "nodeIP can't be loopback address"
  if (isMulticast(address)) return "nodeIP can't be a multicast address"
  if (isLinkLocal(address)) return "nodeIP can't be a link-local unicast address"
  if (bitsOf(address) === 0n) return "nodeIP can't be an all zeros address"
  const wanted = formatIP(address)
  if (interfaceIPs === undefined || interfaceIPs.some((each) => canonicalIP(each) === wanted)) return undefined
  return `node IP: "${wanted}" not found in the host's network interfaces`
}
