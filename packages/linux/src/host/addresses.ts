import { isIP } from "node:net"
import type { NodeAddress } from "@rollcall/api"
import { type DefaultAddress, type Family, familyOf, invalidNodeIP, isUnspecified } from "./network.ts"
import { canonicalIP } from "./parse/routes.ts"
import type { Interfaces } from "./System.ts"

/** What a node's addresses follow from. */
export interface AddressFacts {
  /** `--node-ip` as it parses: none, one, or one of each family. */
  readonly nodeIPs: ReadonlyArray<string>
  readonly hostname: string
  readonly interfaces: Interfaces
  /** What the resolver says of the hostname. */
  readonly resolved: ReadonlyArray<string>
  readonly defaultAddress: (preferred: Family) => DefaultAddress
}

export type Addresses = { readonly addresses: ReadonlyArray<NodeAddress> } | { readonly error: string }

/** Why one of the given addresses cannot be the node's. */
const invalidGiven = ({ interfaces, nodeIPs }: AddressFacts): string | undefined => {
  for (const [index, address] of nodeIPs.entries()) {
    if (isUnspecified(address)) continue
    const invalid = invalidNodeIP(address, interfaces)
    if (invalid !== undefined) return `failed to validate ${index === 0 ? "nodeIP" : "secondaryNodeIP"}: ${invalid}`
  }
  return undefined
}

/** The one address of a node that was given none, or only a family (`0.0.0.0`, `::`). */
const foundAddress = (facts: AddressFacts): DefaultAddress => {
  const { hostname, interfaces, nodeIPs, resolved } = facts
  const [given] = nodeIPs
  const preferred: Family = given === undefined ? 4 : familyOf(given)
  if (isIP(hostname) !== 0) return { address: canonicalIP(hostname) }
  const valid = resolved.filter((address) => invalidNodeIP(address, interfaces) === undefined)
  const address = valid.find((each) => familyOf(each) === preferred) ?? valid[0]
  return address === undefined ? facts.defaultAddress(preferred) : { address }
}

/**
 * A node's own addresses: InternalIPs, then the Hostname. A given address must be one of the machine's; without one it is the
 * hostname if that is an address, what the resolver says of it, or the address of the interface with the default route.
 * Upstream: pkg/kubelet/nodestatus/setters.go NodeAddress.
 */
export const nodeAddresses = (facts: AddressFacts): Addresses => {
  const { hostname, nodeIPs } = facts
  const invalid = invalidGiven(facts)
  if (invalid !== undefined) return { error: invalid }
  const given = nodeIPs.filter((address) => !isUnspecified(address))
  const found = given.length > 0 ? undefined : foundAddress(facts)
  if (found !== undefined && "error" in found) {
    return { error: `can't get ip address of node ${hostname}. error: ${found.error}` }
  }
  const internal = found === undefined ? given.map(canonicalIP) : [found.address]
  return {
    addresses: [
      ...internal.map((address): NodeAddress => ({ type: "InternalIP", address })),
      { type: "Hostname", address: hostname }
    ]
  }
}
