import { BlockList } from "node:net"
import { badRequest, goQuote, type Node, notFound, type Status, unknownError } from "@rollcall/api"
import { familyOf, formatIP, parseIP } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import {
  ADDRESS_NOT_ALLOWED,
  defaultAddressing,
  type KubeletAddress,
  type KubeletAddressing
} from "./KubeletTransport.ts"

const MAX_PORT = 65_535

/** The schemes that a path may name. Upstream: apimachinery/pkg/util/net/port_split.go. */
const schemes: ReadonlySet<string> = new Set(["", "http", "https"])

/** Splits `name`, `name:port` or `scheme:name:port`; returns undefined for other forms. Upstream: SplitSchemeNamePort. */
export const splitSchemeNamePort = (
  id: string
): { readonly scheme: "http" | "https"; readonly name: string; readonly port: string } | undefined => {
  const parts = id.split(":")
  const [scheme, name, port] = parts.length === 3 ? parts : parts.length > 3 ? [] : ["", ...parts]
  if (scheme === undefined || !schemes.has(scheme) || name === undefined || name === "") return undefined
  return { scheme: scheme === "https" ? "https" : "http", name, port: port ?? "" }
}

/** The addresses that Go's net.IP.IsGlobalUnicast excludes. */
const localOrMulticast = new BlockList()
for (const [address, length] of [
  ["0.0.0.0", 32],
  ["255.255.255.255", 32],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4]
] as const) {
  localOrMulticast.addSubnet(address, length, "ipv4")
}
for (const [address, length] of [
  ["::", 128],
  ["::1", 128],
  ["fe80::", 10],
  ["ff00::", 8]
] as const) {
  localOrMulticast.addSubnet(address, length, "ipv6")
}

/**
 * Whether the host is neither the server's own machine nor a multicast or unspecified address. Names are not resolved
 * here.
 */
export const isProxyable = (host: string): boolean => {
  const ip = parseIP(host)
  return ip === undefined || !localOrMulticast.check(formatIP(ip), familyOf(ip) === 4 ? "ipv4" : "ipv6")
}

/**
 * Returns the target of a node proxy request, or the Status that refuses it. `id` is the name in the path, `nodeNamed`
 * finds Nodes. Upstream: pkg/registry/core/node/strategy.go ResourceLocation, pkg/kubelet/client/kubelet_client.go
 * GetConnectionInfo.
 */
export const proxyTarget = (
  id: string,
  nodeNamed: (name: string) => Node | undefined,
  addressing: KubeletAddressing = defaultAddressing
): Result.Result<KubeletAddress, Status> =>
  Result.flatMap(kubeletOf(id, nodeNamed, addressing), (found) =>
    isProxyable(found.host) ? Result.succeed({ ...found, isForeignOnly: true }) : Result.fail(NOT_ALLOWED)
  )

export const NOT_ALLOWED: Status = badRequest(ADDRESS_NOT_ALLOWED)

/** Returns the address of a node's kubelet, which may be one of this machine. */
export const kubeletOf = (
  id: string,
  nodeNamed: (name: string) => Node | undefined,
  { port: defaultPort, types }: KubeletAddressing = defaultAddressing
): Result.Result<KubeletAddress, Status> => {
  const asked = splitSchemeNamePort(id)
  const invalidRequest = () => Result.fail(badRequest(`invalid node request ${goQuote(id)}`))
  if (asked === undefined) return invalidRequest()
  const node = nodeNamed(asked.name)
  if (node === undefined) return Result.fail(notFound({ group: "", resource: "nodes" }, asked.name))
  const { addresses = [], daemonEndpoints } = node.status ?? {}
  const host = types.map((type) => addresses.find((address) => address.type === type)).find(Boolean)?.address
  if (host === undefined) {
    const known = addresses.map(({ address, type }) => `{${type} ${address}}`).join(" ")
    return Result.fail(unknownError(`no preferred addresses found; known addresses: [${known}]`))
  }
  const reportedPort = daemonEndpoints?.kubeletEndpoint?.Port ?? 0
  const kubeletPort = reportedPort > 0 ? reportedPort : defaultPort
  // Upstream panics over a port that is no number.
  if (!/^\d{0,5}$/.test(asked.port) || Number(asked.port) > MAX_PORT) return invalidRequest()
  const port = asked.port === "" ? kubeletPort : Number(asked.port)
  const isKubelet = port === kubeletPort
  return Result.succeed({ node: asked.name, host, port, isKubelet, scheme: isKubelet ? "https" : asked.scheme })
}

/**
 * Returns the path for the kubelet: the rest of a request's decoded path, normalized as by Go's
 * path.Join. It is empty if nothing follows, not even a slash. Upstream: pkg/registry/core/node/rest/proxy.go,
 * apimachinery/pkg/util/net JoinPreservingTrailingSlash.
 */
export const proxyPath = (path: string): string => {
  const kept: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") kept.pop()
    else if (part !== "" && part !== ".") kept.push(part)
  }
  const slash = path.endsWith("/") ? "/" : ""
  return kept.length === 0 ? slash : `/${kept.join("/")}${slash}`
}
