import { annotationProvidedNodeIP, type NodeAddress } from "@rollcall/api"
import { canonicalIP, type IPFamily, invalidNodeIP, ipFamilyOf, isUnspecified } from "./NodeIP.ts"

/** An address, or why there is none. */
export type FoundAddress = { readonly address: string } | { readonly error: string }

/** A machine's network addresses. */
export interface MachineNetwork {
  /** Of all interfaces. */
  readonly interfaceIPs: ReadonlyArray<string>
  /** The DNS result for its name, in the order of the answer. */
  readonly lookup: ReadonlyArray<string>
  /** The address of the default route's interface, for each preferred family. */
  readonly defaultRoute: Readonly<Record<IPFamily, FoundAddress>>
}

/** The inputs of a node's addresses. */
export interface AddressFacts extends Pick<MachineNetwork, "defaultRoute" | "lookup"> {
  readonly nodeName: string
  readonly hostname: string
  /** `--node-ip`: none, one, or one of each family. */
  readonly nodeIPs: ReadonlyArray<string>
  readonly externalCloudProvider: boolean
  /** Why an address is not valid for this node. */
  readonly invalid: (address: string) => string | undefined
}

/** The addresses that a kubelet determines for its node. */
export interface OwnAddresses {
  /** Absent: none were found, and the Node keeps its addresses. */
  readonly addresses?: ReadonlyArray<NodeAddress>
  /** Annotation `alpha.kubernetes.io/provided-node-ip`, for the cloud controller; absent: it is removed. */
  readonly provided?: string
  /** A specified address is not valid for this node: its annotation is kept too. */
  readonly untouched?: true
  readonly error?: string
}

const internal = (address: string): NodeAddress => ({ type: "InternalIP", address })

/** The hostname if it is an address, else the DNS result for the node's name, else the default route's address. */
const found = ({ defaultRoute, hostname, invalid, lookup, nodeIPs }: AddressFacts): FoundAddress => {
  const literal = canonicalIP(hostname)
  if (literal !== undefined) return { address: literal }
  const [first] = nodeIPs
  const preferred = first === undefined ? 4 : ipFamilyOf(first)
  const valid = lookup.filter((address) => invalid(address) === undefined)
  const address = valid.find((each) => ipFamilyOf(each) === preferred) ?? valid[0]
  return address === undefined ? defaultRoute[preferred] : { address }
}

const invalidAmong = (specified: ReadonlyArray<string>, facts: AddressFacts): string | undefined => {
  for (const address of specified) {
    const problem = facts.invalid(address)
    const name = address === facts.nodeIPs[0] ? "nodeIP" : "secondaryNodeIP"
    if (problem !== undefined) return `failed to validate ${name}: ${problem}`
  }
  return undefined
}

/** The addresses that the kubelet would write. Upstream: pkg/kubelet/nodestatus/setters.go NodeAddress. */
export const ownAddresses = (facts: AddressFacts): OwnAddresses => {
  const { externalCloudProvider, hostname, nodeIPs, nodeName } = facts
  const [first, second] = nodeIPs
  const specified = nodeIPs.filter((address) => !isUnspecified(address))
  const invalid = invalidAmong(specified, facts)
  if (invalid !== undefined) return { untouched: true, error: invalid }
  const isSpecified = first !== undefined && specified[0] === first
  const provided = externalCloudProvider && isSpecified ? { provided: specified.join(",") } : {}
  const last: NodeAddress = { type: "Hostname", address: hostname }
  // The cloud controller adds the others; it identifies the machine by this one.
  if (externalCloudProvider && first === undefined) return { addresses: [last] }
  if (isSpecified) {
    const both = second !== undefined && specified.length === 2
    return { ...provided, addresses: [...(both ? specified : [first]).map(internal), last] }
  }
  const chosen = found(facts)
  if ("error" in chosen) return { error: `can't get ip address of node ${nodeName}. error: ${chosen.error}` }
  return { addresses: [internal(chosen.address), last] }
}

type Annotations = Readonly<Record<string, string>>

/** The Node's annotations with the correct one for the cloud controller; the same object if it is correct already. */
export const withProvidedIP = (held: Annotations | undefined, own: OwnAddresses): Annotations | undefined => {
  const { provided, untouched } = own
  if (untouched === true || held?.[annotationProvidedNodeIP] === provided) return held
  if (provided !== undefined) return { ...held, [annotationProvidedNodeIP]: provided }
  const { [annotationProvidedNodeIP]: _removed, ...others } = held ?? {}
  return others
}

/** The addresses of a Node: the cloud's, once it has set any, instead of the kubelet's own. */
export const addressesFor = (
  held: ReadonlyArray<NodeAddress> | undefined,
  own: OwnAddresses,
  externalCloudProvider: boolean
): Pick<OwnAddresses, "addresses" | "error"> => {
  const given = externalCloudProvider && held !== undefined && held.length > 0
  if (!given && own.addresses !== undefined) return own
  return {
    ...(held === undefined ? {} : { addresses: held }),
    // An error of the kubelet's own look-up does not matter once the cloud has set addresses.
    ...(own.error === undefined || (given && own.untouched !== true) ? {} : { error: own.error })
  }
}

const nowhere: FoundAddress = { error: "unable to select an IP from default routes." }

/** The addresses of a machine. Without network data the machine's configured addresses are used, or `--node-ip`. */
export const machineAddresses = (
  machine: { readonly addresses: ReadonlyArray<NodeAddress>; readonly network?: MachineNetwork | undefined },
  { externalCloudProvider, nodeIPs }: Pick<AddressFacts, "externalCloudProvider" | "nodeIPs">
): OwnAddresses => {
  const { addresses, network } = machine
  if (network === undefined && nodeIPs.length === 0 && !externalCloudProvider) return { addresses }
  const addressOf = (type: NodeAddress["type"]) => addresses.find((each) => each.type === type)?.address
  const hostname = addressOf("Hostname") ?? ""
  const given = addressOf("InternalIP")
  const known: FoundAddress = given === undefined ? nowhere : { address: given }
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
