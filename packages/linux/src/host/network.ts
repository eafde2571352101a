import { BlockList, isIPv4 } from "node:net"
import type { FoundAddress, MachineNetwork } from "@rollcall/kubelet"
import { type DefaultRoute, parseIPv4DefaultRoutes, parseIPv6DefaultRoutes } from "./parse/routes.ts"
import type { Interfaces, System } from "./System.ts"

type Family = 4 | 6

/** Address ranges that are not global unicast; private addresses are global. */
const nonGlobalRanges = new BlockList()
nonGlobalRanges.addAddress("0.0.0.0", "ipv4")
nonGlobalRanges.addAddress("255.255.255.255", "ipv4")
nonGlobalRanges.addSubnet("127.0.0.0", 8, "ipv4")
nonGlobalRanges.addSubnet("224.0.0.0", 4, "ipv4")
nonGlobalRanges.addSubnet("169.254.0.0", 16, "ipv4")
nonGlobalRanges.addSubnet("::", 127, "ipv6")
nonGlobalRanges.addSubnet("ff00::", 8, "ipv6")
nonGlobalRanges.addSubnet("fe80::", 10, "ipv6")

const familyOf = (address: string): Family => (isIPv4(address) ? 4 : 6)

/** Whether an address is global unicast, like Go's IsGlobalUnicast. */
const isGlobalUnicast = (address: string): boolean => !nonGlobalRanges.check(address, isIPv4(address) ? "ipv4" : "ipv6")

const globalAddress = (interfaces: Interfaces, name: string, family: Family): string | undefined =>
  interfaces[name]?.find(({ address }) => familyOf(address) === family && isGlobalUnicast(address))?.address

/** The first global address of a machine without a routing table. Upstream: chooseIPFromHostInterfaces. */
const firstGlobalAddress = (interfaces: Interfaces, families: ReadonlyArray<Family>): FoundAddress => {
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
 * The address of the interface of a default route, the preferred family first; an address of the loopback where that
 * interface has only link-local ones (RFC 5549). Without a routing table, `routes` is undefined, and the first global
 * address counts.
 * Upstream: apimachinery/pkg/util/net/interface.go ResolveBindAddress, chooseHostInterfaceFromRoute.
 */
export const defaultAddress = (
  routes: ReadonlyArray<DefaultRoute> | undefined,
  interfaces: Interfaces,
  preferred: Family
): FoundAddress => {
  const families: ReadonlyArray<Family> = preferred === 4 ? [4, 6] : [6, 4]
  if (routes === undefined) return firstGlobalAddress(interfaces, families)
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
const readDefaultRoutes = (system: System): ReadonlyArray<DefaultRoute> | undefined => {
  const ipv4 = system.read("/proc/net/route")
  if (ipv4 === undefined) return undefined
  return [...parseIPv4DefaultRoutes(ipv4), ...parseIPv6DefaultRoutes(system.read("/proc/net/ipv6_route") ?? "")]
}

/** The machine's addresses. `lookup` has the resolved addresses of its host name. */
export const readNetwork = (system: System, lookup: ReadonlyArray<string>): MachineNetwork => {
  const interfaces = system.interfaces()
  const routes = readDefaultRoutes(system)
  return {
    interfaceIPs: Object.values(interfaces).flatMap((addresses) => addresses.map(({ address }) => address)),
    lookup,
    defaultRoute: { 4: defaultAddress(routes, interfaces, 4), 6: defaultAddress(routes, interfaces, 6) }
  }
}
