import { BlockList, isIP, isIPv6 } from "node:net"

/** The values of the proxy environment variables. */
export interface ProxyEnvironment {
  readonly httpsProxy?: string | undefined
  readonly httpProxy?: string | undefined
  readonly noProxy?: string | undefined
}

const isInRange = (host: string, range: string): boolean => {
  const [base = "", bits = ""] = range.split("/")
  if (isIP(base) === 0 || !/^\d{1,3}$/.test(bits) || isIP(base) !== isIP(host)) return false
  const family = isIPv6(base) ? "ipv6" : "ipv4"
  if (Number(bits) > (family === "ipv6" ? 128 : 32)) return false
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family)
  return list.check(host, family)
}

const matchesNoProxyRule = (host: string, port: string, rule: string): boolean => {
  if (rule === "*") return true
  if (rule.includes("/")) return isInRange(host, rule)
  const [, name = rule, onlyPort] = /^(.*?):(\d+)$/.exec(isIPv6(rule) ? "" : rule) ?? []
  if (onlyPort !== undefined && onlyPort !== port) return false
  const bare = name.replace(/^\[(.*)\]$/, "$1")
  if (isIP(bare) !== 0) return bare === host
  if (bare.startsWith("*.")) return host.endsWith(bare.slice(1))
  if (bare.startsWith(".")) return host.endsWith(bare)
  return host === bare || host.endsWith(`.${bare}`)
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || (isIP(host) === 4 && host.startsWith("127.")) || host === "::1"

/**
 * Returns the proxy for a server by the environment: none for localhost, and none for hosts in NO_PROXY. Upstream:
 * golang.org/x/net/http/httpproxy.
 */
export const proxyFor = (server: string, environment: ProxyEnvironment): string | undefined => {
  const { hostname, port, protocol } = new URL(server)
  const proxy = protocol === "https:" ? environment.httpsProxy : environment.httpProxy
  if (proxy === undefined || proxy === "") return undefined
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  if (isLoopback(host)) return undefined
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port
  const rules = (environment.noProxy ?? "").split(",").map((rule) => rule.trim().toLowerCase())
  if (rules.some((rule) => rule !== "" && matchesNoProxyRule(host, at, rule))) return undefined
  return proxy.includes("://") ? proxy : `http://${proxy}`
}
