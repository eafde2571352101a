import { annotationProvidedNodeIP, type NodeAddress } from "@rollcall/api"
import { canonicalIP, type IPFamily, invalidNodeIP, ipFamilyOf, isUnspecified } from "./NodeIP.ts"

/** An address, or the error for which there is none. */
export type FoundAddress = { readonly address: string } | { readonly error: string }

/** A machine's network addresses. */
export interface MachineNetwork {
  /** The addresses of all interfaces. */
  readonly interfaceIPs: ReadonlyArray<string>
  /** The DNS result for the machine's name, in the order of the answer. */
  readonly lookup: ReadonlyArray<string>
  /** The address of the default route's interface, by the preferred family. */
  readonly defaultRoute: Readonly<Record<IPFamily, FoundAddress>>
}

/** The inputs of a node's addresses. */
export interface AddressFacts extends Pick<MachineNetwork, "defaultRoute" | "lookup"> {
  readonly nodeName: string
  readonly hostname: string
  /** The addresses of `--node-ip`: none, one, or one of each family. */
  readonly nodeIPs: ReadonlyArray<string>
  readonly externalCloudProvider: boolean
  /** Returns why an address is not valid for this node, or undefined if it is. */
  readonly invalid: (address: string) => string | undefined
}

/** The addresses that a kubelet determines for its node. */
export interface OwnAddresses {
  /** The addresses; absent if none were found, and the Node keeps its addresses. */
  readonly addresses?: ReadonlyArray<NodeAddress>
  /** The annotation `alpha.kubernetes.io/provided-node-ip` for the cloud controller; absent if it is to be removed. */
  readonly provided?: string
  /** Set if an address of `--node-ip` is not valid for this node: the Node then keeps its annotation too. */
  readonly untouched?: true
  /** The error of the look-up. */
  readonly error?: string
}

const internal = (address: string): NodeAddress => ({ type: "InternalIP", address })

/** Returns the hostname if it is an address, else an address of the DNS result, else the default route's. */
const findAddress = ({ defaultRoute, hostname, invalid, lookup, nodeIPs }: AddressFacts): FoundAddress => {
  const literal = canonicalIP(hostname)
  if (literal !== undefined) return { address: literal }
  const [first] = nodeIPs
  const preferred = first === undefined ? 4 : ipFamilyOf(first)
  const valid = lookup.filter((address) => invalid(address) === undefined)
  const address = valid.find((each) => ipFamilyOf(each) === preferred) ?? valid[0]
  return address === undefined ? defaultRoute[preferred] : { address }
}

/** Returns the error for the first invalid address of `--node-ip`, or undefined if all are valid. */
const invalidAmong = (specified: ReadonlyArray<string>, facts: AddressFacts): string | undefined => {
  for (const address of specified) {
    const problem = facts.invalid(address)
    const name = address === facts.nodeIPs[0] ? "nodeIP" : "secondaryNodeIP"
    if (problem !== undefined) return `failed to validate ${name}: ${problem}`
  }
  return undefined
}

/**
 * Returns the addresses that the kubelet determines by itself. Upstream: pkg/kubelet/nodestatus/setters.go NodeAddress.
 */
export const ownAddresses = (facts: AddressFacts): OwnAddresses => {
  const { externalCloudProvider, hostname, nodeIPs, nodeName } = facts
  const [first, second] = nodeIPs
  const specified = nodeIPs.filter((address) => !isUnspecified(address))
  const invalid = invalidAmong(specified, facts)
  if (invalid !== undefined) return { untouched: true, error: invalid }
  const isSpecified = first !== undefined && specified[0] === first
  const provided = externalCloudProvider && isSpecified ? { provided: specified.join(",") } : {}
  const hostnameAddress: NodeAddress = { type: "Hostname", address: hostname }
  // The cloud controller adds the other addresses. It identifies the machine by this one.
  if (externalCloudProvider && first === undefined) return { addresses: [hostnameAddress] }
  if (isSpecified) {
    const both = second !== undefined && specified.length === 2
    return { ...provided, addresses: [...(both ? specified : [first]).map(internal), hostnameAddress] }
  }
  const chosen = findAddress(facts)
  if ("error" in chosen) return { error: `can't get ip address of node ${nodeName}. error: ${chosen.error}` }
  return { addresses: [internal(chosen.address), hostnameAddress] }
}

type Annotations = Readonly<Record<string, string>>

/** Returns the annotations with the correct one for the cloud controller: the same object if it is correct already. */
export const withProvidedIP = (current: Annotations | undefined, own: OwnAddresses): Annotations | undefined => {
  const { provided, untouched } = own
  if (untouched === true || current?.[annotationProvidedNodeIP] === provided) return current
  if (provided !== undefined) return { ...current, [annotationProvidedNodeIP]: provided }
  const { [annotationProvidedNodeIP]: _removed, ...others } = current ?? {}
  return others
}

/** Returns the addresses for a Node: the cloud's once it has set any, and otherwise the kubelet's own. */
export const addressesFor = (
  current: ReadonlyArray<NodeAddress> | undefined,
  own: OwnAddresses,
  externalCloudProvider: boolean
): Pick<OwnAddresses, "addresses" | "error"> => {
  const fromCloud = externalCloudProvider && current !== undefined && current.length > 0
  if (!fromCloud && own.addresses !== undefined) return own
  return {
    ...(current === undefined ? {} : { addresses: current }),
    // An error of the kubelet's own look-up does not matter once the cloud has set addresses.
    ...(own.error === undefined || (fromCloud && own.untouched !== true) ? {} : { error: own.error })
  }
}

const NO_DEFAULT_ROUTE: FoundAddress = { error: "unable to select an IP from default routes." }

/** Returns the addresses of a machine: of its network data, or else its configured ones, or those of `--node-ip`. */
export const machineAddresses = (
  machine: { readonly addresses: ReadonlyArray<NodeAddress>; readonly network?: MachineNetwork | undefined },
  { externalCloudProvider, nodeIPs }: Pick<AddressFacts, "externalCloudProvider" | "nodeIPs">
): OwnAddresses => {
  const { addresses, network } = machine
  if (network === undefined && nodeIPs.length === 0 && !externalCloudProvider) return { addresses }
  const addressOf = (type: NodeAddress["type"]) => addresses.find((each) => each.type === type)?.address
  const hostname = addressOf("Hostname") ?? ""
  const configured = addressOf("InternalIP")
  const known: FoundAddress = configured === undefined ? NO_DEFAULT_ROUTE : { address: configured }
  return ownAddresses({
    nodeName: hostname,
    hostname,
    nodeIPs,
    externalCloudProvider,
    invalid: (address) => invalidNodeIP(address, network?.interfaceIPs),
    lookup: network?.lookup ?? [],
    defaultRoute: network?.defaultRoute ?? { 4: known, 6: known }
  })
}
