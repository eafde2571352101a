import { familyOf, formatIP, type IPAddress, parseIP } from "@rollcall/api/validation"

/** The version of the Internet Protocol. */
export type IPFamily = 4 | 6

/** The bits of an address: of an IPv4-mapped IPv6 address the last 32. */
const bitsOf = (address: IPAddress): bigint => (address.mapped ? address.bits & 0xffffffffn : address.bits)

/** The first `length` bits of an address, as a number. */
const prefixOf = (address: IPAddress, length: number): bigint =>
  bitsOf(address) >> BigInt((familyOf(address) === 4 ? 32 : 128) - length)

const isLoopback = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? prefixOf(address, 8) === 127n : bitsOf(address) === 1n

const isMulticast = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? prefixOf(address, 4) === 0xen : prefixOf(address, 8) === 0xffn

const isLinkLocal = (address: IPAddress): boolean =>
  familyOf(address) === 4 ? prefixOf(address, 16) === 0xa9fen : prefixOf(address, 10) === 0x3fan

/** Whether the address is `0.0.0.0` or `::`, which stand for any address of their family. */
export const isUnspecified = (text: string): boolean => {
  const address = parseIP(text)
  return address !== undefined && bitsOf(address) === 0n
}

/** Returns the family of a valid address; 4 for an invalid one. */
export const ipFamilyOf = (text: string): IPFamily => {
  const address = parseIP(text)
  return address === undefined ? 4 : familyOf(address)
}

/** Returns an address as Go prints it, or undefined if it is not valid. */
export const canonicalIP = (text: string): string | undefined => {
  const address = parseIP(text)
  return address === undefined ? undefined : formatIP(address)
}

/**
 * Returns why an address is not valid for this machine, or undefined if it is. It must be an address of an interface,
 * if these are known. Upstream: pkg/kubelet/kubelet_node_status.go validateNodeIP.
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
