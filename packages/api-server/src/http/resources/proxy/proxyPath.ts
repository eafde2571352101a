/**
 * The path that a kubelet is asked for: what of a request's path, which is decoded, follows `parts` of it, as Go's path.Join leaves it. Empty:
 * nothing follows, not even a slash. Upstream: pkg/registry/core/node/rest/proxy.go, apimachinery/pkg/util/net JoinPreservingTrailingSlash.
 */
export const proxyPath = (path: string, parts: number): string => {
  const kept: Array<string> = []
  for (const part of path.split("/").slice(parts + 1)) {
    if (part === "..") kept.pop()
    else if (part !== "" && part !== ".") kept.push(part)
  }
  const slash = path.endsWith("/") ? "/" : ""
  return kept.length === 0 ? slash : `/${kept.join("/")}${slash}`
}
