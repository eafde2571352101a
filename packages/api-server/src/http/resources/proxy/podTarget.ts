import { badRequest, goQuote, type Pod, type Status, serviceUnavailable } from "@rollcall/api"
import { parseIP } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import type { KubeletAddress } from "./KubeletTransport.ts"
import { isProxyable, NOT_ALLOWED, splitSchemeNamePort } from "./proxyTarget.ts"

const MAX_PORT = 65_535
/** The ports of URLs that name none. */
const defaultPorts = { http: 80, https: 443 } as const

/** Returns where a process is reached that listens on a port; the port is as the client has written it. */
export const addressAt = (
  host: string,
  node: string,
  { port, scheme }: { readonly port: string; readonly scheme: "http" | "https" }
): Result.Result<KubeletAddress, Status> => {
  const number = port === "" ? defaultPorts[scheme] : Number(port)
  if (/^\d*$/.test(port) && number <= MAX_PORT) {
    return Result.succeed({ node, host, port: number, isKubelet: false, scheme })
  }
  const why = /^\d+$/.test(port) ? `address ${port}: invalid port` : `lookup tcp/${port}: unknown port`
  return Result.fail(serviceUnavailable(`error trying to reach service: dial tcp: ${why}`))
}

/**
 * Returns the target of a request for a pod's proxy, or the Status that refuses it. `id` is the name in the path. Upstream:
 * pkg/registry/core/pod/strategy.go, ResourceLocation.
 */
export const podTarget = (id: string, { spec, status }: Pod): Result.Result<KubeletAddress, Status> => {
  const asked = splitSchemeNamePort(id)
  if (asked === undefined) return Result.fail(badRequest(`invalid pod request ${goQuote(id)}`))
  const ip = status?.podIPs?.[0]?.ip ?? status?.podIP ?? ""
  if (parseIP(ip) === undefined || !isProxyable(ip)) return Result.fail(NOT_ALLOWED)
  const first = spec.containers.find(({ ports }) => (ports ?? []).length > 0)?.ports?.[0]?.containerPort
  const port = asked.port === "" && first !== undefined ? String(first) : asked.port
  return addressAt(ip, spec.nodeName ?? "", { port, scheme: asked.scheme })
}
