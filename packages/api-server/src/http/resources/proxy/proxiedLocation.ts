import { proxyPath } from "./proxyTarget.ts"

/** What a request that is passed on has to do with its answer's links. */
export interface ProxiedRequest {
  /** The path of the API that stands for the root of the other server. */
  readonly prefix: string
  /** That server, as `host:port`. */
  readonly backend: string
  /** The host of the client's request. */
  readonly requested: string
}

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s

/**
 * Returns where a client is redirected to: a path of the other server is below the path of the API that stands for it.
 * Upstream: apimachinery/pkg/util/proxy/transport.go, rewriteURL.
 */
export const proxiedLocation = (location: string, { backend, prefix, requested }: ProxiedRequest): string => {
  const [, scheme = "", host = "", path = "", rest = ""] = PARTS.exec(location) ?? []
  const isElsewhere = host !== "" && host !== backend && host !== requested
  if (isElsewhere || !path.startsWith("/")) return location
  const origin = host !== "" && host === requested ? `${scheme === "" ? "" : `${scheme}:`}//${host}` : ""
  return path.startsWith(prefix) ? `${origin}${path}${rest}` : `${origin}${prefix}${proxyPath(path)}${rest}`
}
