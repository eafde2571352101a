import { groupVersionPath, type Json, type OpenApiKind } from "./OpenApiKind.ts"
import { proxyParameters } from "./parameters.ts"
import type { Version } from "./Schemas.ts"

/** The methods of a proxy. Upstream: pkg/registry/core/node/rest/proxy.go, proxyMethods. */
const methods = ["delete", "get", "head", "options", "patch", "post", "put"] as const

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Returns the paths of a `proxy` subresource, with and without a trailing path, for arbitrary requests and answers.
 * `options` is the kind of its options, such as NodeProxyOptions.
 * Upstream: apiserver/pkg/endpoints/installer.go, MethodConnect.
 */
export const proxyPaths = (
  kind: OpenApiKind,
  options: string,
  version: Version
): ReadonlyArray<readonly [path: string, item: Json]> => {
  const base = `/${groupVersionPath(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}/{name}/proxy`
  const ok = { description: "OK" }
  const schema = { type: "string" }
  const answer = version === "v3" ? { ...ok, content: { "*/*": { schema } } } : { ...ok, schema }
  const operation = (method: string, suffix: string): Json => ({
    description: `connect ${method.toUpperCase()} requests to proxy of ${kind.kind}`,
    operationId: `connectCore${capital(kind.version)}${capital(method)}${kind.kind}Proxy${suffix}`,
    ...(version === "v2" ? { produces: ["*/*"], consumes: ["*/*"] } : {}),
    responses: { "200": answer, "401": { description: "Unauthorized" } },
    tags: [`core_${kind.version}`],
    "x-kubernetes-action": "connect",
    "x-kubernetes-group-version-kind": { group: kind.group, kind: options, version: kind.version }
  })
  const item = (path: string, suffix: string): readonly [string, Json] => [
    path,
    {
      ...Object.fromEntries(methods.map((method) => [method, operation(method, suffix)])),
      parameters: proxyParameters(path, options, version)
    }
  ]
  return [item(base, ""), item(`${base}/{path}`, "WithPath")]
}
