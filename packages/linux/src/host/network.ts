import { BlockList, isIP, isIPv4 } from "node:net"
import { canonicalIP, type DefaultRoute, parseIPv4DefaultRoutes, parseIPv6DefaultRoutes } from "./parse/routes.ts"
import type { Interfaces, System } from "./System.ts"

export type Family = 4 | 6

const blockOf = (ipv4: readonly [string, number], ipv6: readonly [string, number]): BlockList => {
  const block = new BlockList()
  block.addSubnet(...ipv4, "ipv4")
  block.addSubnet(...ipv6, "ipv6")
  return block
}

const loopback = blockOf(["127.0.0.0", 8], ["::1", 128])
const multicast = blockOf(["224.0.0.0", 4], ["ff00::", 8])
const linkLocal = blockOf(["169.254.0.0", 16], ["fe80::", 10])

export const familyOf = (address: string): Family => (isIPv4(address) ? 4 : 6)

const isIn = (block: BlockList, address: string): boolean => block.check(address, isIPv4(address) ? "ipv4" : "ipv6")

export const isUnspecified = (address: string): boolean => address === "0.0.0.0" || canonicalIP(address) === "::"

/** As Go's IsGlobalUnicast: private addresses too. */
const isGlobalUnicast = (address: string): boolean =>
  address !== "255.255.255.255" &&
  !isUnspecified(address) &&
  !isIn(loopback, address) &&
  !isIn(multicast, address) &&
  !isIn(linkLocal, address)

/** Why this is no address to be a node's, in upstream's words. Upstream: pkg/kubelet/kubelet_node_status.go validateNodeIP. */
export const invalidNodeIP = (address: string, interfaces: Interfaces): string | undefined => {
  if (isIP(address) === 0) return "nodeIP must be a valid IP address"
  if (isIn(loopback, address)) return "nodeIP can't be loopback address"
  if (isIn(multicast, address)) return "nodeIP can't be a multicast address"
  if (isIn(linkLocal, address)) return "nodeIP can't be a link-local unicast address"
  if (isUnspecified(address)) return "nodeIP can't be an all zeros address"
  const wanted = canonicalIP(address)
  const here = Object.values(interfaces).some((own) => own.some((each) => canonicalIP(each.address) === wanted))
  return here ? undefined : `node IP: "${wanted}" not found in the host's network interfaces`
}

const globalAddress = (interfaces: Interfaces, name: string, family: Family): string | undefined =>
  interfaces[name]?.find(({ address }) => familyOf(address) === family && isGlobalUnicast(address))?.address

export type DefaultAddress = { readonly address: string } | { readonly error: string }

/** The first global address in a machine that has no routing table to go by. Upstream: chooseIPFromHostInterfaces. */
const anyAddress = (interfaces: Interfaces, families: ReadonlyArray<Family>): DefaultAddress => {
  const names = Object.keys(interfaces)
  if (names.length === 0) return { error: "no interfaces found on host." }
  for (const family of families) {
    for (const name of names) {
      const address = name === "lo" ? undefined : globalAddress(interfaces, name, family)
      if (address !== undefined) return { address }
    }
  }
  return { error: "no acceptable interface with global unicast address found on host" }
}

/**
 * The address of the interface that a default route leaves by, of the preferred family first; one that the loopback carries where
 * the interface itself has only link-local ones (RFC 5549). No routing table (undefined): the first global address.
 * Upstream: apimachinery/pkg/util/net/interface.go ResolveBindAddress, chooseHostInterfaceFromRoute.
 */
export const defaultAddress = (
  routes: ReadonlyArray<DefaultRoute> | undefined,
  interfaces: Interfaces,
  preferred: Family
): DefaultAddress => {
  const families: ReadonlyArray<Family> = preferred === 4 ? [4, 6] : [6, 4]
  if (routes === undefined) return anyAddress(interfaces, families)
  if (routes.length === 0) {
    return { error: 'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"' }
  }
  for (const family of families) {
    for (const route of routes) {
      if (route.family !== family) continue
      const address = globalAddress(interfaces, route.interface, family) ?? globalAddress(interfaces, "lo", family)
      if (address !== undefined) return { address }
    }
  }
  return { error: "unable to select an IP from default routes." }
}

/** The machine's default routes, IPv4 first; undefined without a routing table. */
export const readDefaultRoutes = (system: System): ReadonlyArray<DefaultRoute> | undefined => {
  const ipv4 = system.read("/proc/net/route")
  if (ipv4 === undefined) return undefined
  return [...parseIPv4DefaultRoutes(ipv4), ...parseIPv6DefaultRoutes(system.read("/proc/net/ipv6_route") ?? "")]
}
