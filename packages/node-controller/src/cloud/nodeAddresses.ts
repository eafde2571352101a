import { annotationProvidedNodeIP, type Node, type NodeAddress, taintCloudUninitialized } from "@rollcall/api"
import { familyOf, formatIP, type IPAddress, parseIP } from "@rollcall/api/validation"
import * as Result from "effect/Result"

type Addresses = ReadonlyArray<NodeAddress>

/** Whether no cloud controller has initialized the node yet; the taint's value and effect do not matter. */
export const isUninitialized = (node: Node): boolean =>
  node.spec?.taints?.some(({ key }) => key === taintCloudUninitialized) === true

const isUnspecified = ({ bits }: IPAddress): boolean => bits === 0n

/** Parses one address, or one of each family. Upstream: component-helpers/node/util/ips.go ParseNodeIPAnnotation. */
const parseProvided = (text: string): Result.Result<ReadonlyArray<IPAddress>, string> => {
  const parsed: Array<IPAddress> = []
  for (const part of text.split(",")) {
    const address = parseIP(part)
    if (address === undefined) return Result.fail(`could not parse ${JSON.stringify(part)}`)
    parsed.push(address)
  }
  if (new Set(parsed.map(familyOf)).size < parsed.length) {
    return Result.fail("must contain either a single IP or a dual-stack pair of IPs")
  }
  return parsed.length > 1 && parsed.some(isUnspecified)
    ? Result.fail("dual-stack node IP cannot include '0.0.0.0' or '::'")
    : Result.succeed(parsed)
}

const canonicalAddress = (text: string): string | undefined => {
  const address = parseIP(text)
  return address === undefined ? undefined : formatIP(address)
}

/**
 * A cloud's addresses, with the kubelet's provided node IPs first; these are then the only addresses of their types.
 * Upstream: staging/src/k8s.io/cloud-provider/node/helpers/address.go GetNodeAddressesFromNodeIP.
 */
export const preferProvided = (addresses: Addresses, provided: string): Result.Result<Addresses, string> => {
  const parsed = parseProvided(provided)
  if (Result.isFailure(parsed)) {
    return Result.fail(`failed to parse node IP ${JSON.stringify(provided)}: ${parsed.failure}`)
  }
  const preferred: Array<NodeAddress> = []
  for (const ip of parsed.success.map(formatIP)) {
    const matching = addresses.filter(({ address }) => canonicalAddress(address) === ip)
    if (matching.length === 0) {
      return Result.fail(`failed to get node address from cloud provider that matches ip: ${ip}`)
    }
    preferred.push(...matching)
  }
  const preferredTypes = new Set(preferred.map(({ type }) => type))
  return Result.succeed([...preferred, ...addresses.filter(({ type }) => !preferredTypes.has(type))])
}

/** A cloud's addresses, with the node IPs first that the kubelet set in its Node's annotation; unchanged without it. */
export const addressesOf = (node: Node, addresses: Addresses): Result.Result<Addresses, string> => {
  const provided = node.metadata.annotations?.[annotationProvidedNodeIP]
  return provided === undefined ? Result.succeed(addresses) : preferProvided(addresses, provided)
}

/**
 * Whether to write the new list. Of each type only the last old address is compared, so order does not matter, two
 * addresses of one type always count as changed, and some changes are missed, as they are upstream.
 */
const mustWrite = (old: Addresses, next: Addresses): boolean => {
  if (old.length !== next.length) return true
  const byType = new Map(old.map(({ address, type }) => [type, address]))
  return next.some(({ address, type }) => byType.get(type) !== address)
}

const HOSTNAME = "Hostname"

/**
 * The addresses to write to a node, from its cloud's addresses; undefined if nothing has to be written. The kubelet's
 * hostname is kept unless the cloud has one.
 * Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go updateNodeAddress.
 */
export const addressesToWrite = (node: Node, cloud: Addresses): Result.Result<Addresses | undefined, string> => {
  if (isUninitialized(node) || cloud.length === 0) return Result.succeed(undefined)
  const current = node.status?.addresses ?? []
  const ownHostnames = cloud.some(({ type }) => type === HOSTNAME)
    ? []
    : current.filter(({ type }) => type === HOSTNAME)
  return Result.map(addressesOf(node, [...cloud, ...ownHostnames]), (next) =>
    mustWrite(current, next) ? next : undefined
  )
}

/**
 * The patch of a Node's status that replaces its addresses: a merge by type would be wrong, since two may have the
 * same type.
 */
export const addressesPatch = (addresses: Addresses) => ({
  status: { addresses: [...addresses, { $patch: "replace" }] }
})
