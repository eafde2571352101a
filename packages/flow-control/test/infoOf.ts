import type { FlowRequestInfo } from "../src/index.ts"

const RESOURCE = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete"
}

/** The attributes of a request of this method and path, as the tests need them. */
export const infoOf = (method: string, path: string): FlowRequestInfo => {
  const found = RESOURCE.exec(path)
  const [, group = "", version = "", namespace = "", resource = "", name = "", subresource = ""] = found ?? []
  const verb = found === null ? method.toLowerCase() : (verbs[method] ?? "")
  return { verb, isResource: found !== null, path, group, version, namespace, resource, name, subresource }
}
