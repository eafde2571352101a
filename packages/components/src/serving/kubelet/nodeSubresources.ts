/** The verbs of the API by the methods of HTTP. */
const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete"
}

export const apiVerb = (method: string): string => verbs[method] ?? ""

const isAt = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** The subresources of the gate KubeletFineGrainedAuthz, which go before `proxy`. */
const fineGrained: ReadonlyArray<readonly [root: string, subresource: string]> = [
  ["/pods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
  ["/runningpods", "pods"]
]

const coarse: ReadonlyArray<readonly [root: string, subresource: string]> = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/checkpoint", "checkpoint"],
  ["/statusz", "statusz"],
  ["/flagz", "configz"]
]

/**
 * Returns the subresources of its Node that a request to a kubelet is for; a caller that may use one of them may send it.
 * Upstream: pkg/kubelet/server/auth.go, GetRequestAttributes.
 */
export const nodeSubresources = (path: string, isFineGrained: boolean): ReadonlyArray<string> => {
  const fine = isFineGrained ? fineGrained.find(([root]) => isAt(path, root)) : undefined
  const [, subresource] = coarse.find(([root]) => isAt(path, root)) ?? ["", "proxy"]
  return fine === undefined ? [subresource] : [fine[1], subresource]
}
