import type { NodeAddress } from "@rollcall/api"

/** The value of a pod's `status.hostIPs`: none, one, or one of each family. */
export type HostIPs = ReadonlyArray<{ readonly ip: string }>

/** Caches results by the list of addresses: a node's list is one object while it does not change. */
const byAddresses = new WeakMap<ReadonlyArray<NodeAddress>, HostIPs>()

const familyOf = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4)

const choose = (addresses: ReadonlyArray<NodeAddress>): HostIPs => {
  const ofType = (type: NodeAddress["type"]) => addresses.filter((each) => each.type === type)
  const [first, ...others] = [...ofType("InternalIP"), ...ofType("ExternalIP")].map(({ address }) => address)
  if (first === undefined) return []
  const other = others.find((address) => familyOf(address) !== familyOf(first))
  return other === undefined ? [{ ip: first }] : [{ ip: first }, { ip: other }]
}

/**
 * Returns the host IPs of a node's pods: its first address, internal before external, and the first of the other
 * family. Upstream: pkg/util/node GetNodeHostIPs.
 */
export const hostIPsOf = (addresses: ReadonlyArray<NodeAddress>): HostIPs => {
  const known = byAddresses.get(addresses)
  if (known !== undefined) return known
  const ips = choose(addresses)
  byAddresses.set(addresses, ips)
  return ips
}
