import type { EndpointSlice, Service, WebhookClientConfig } from "@rollcall/api"
import * as Result from "effect/Result"
import type { ObjectCache } from "../ports.ts"
import { goUrl } from "./goPath.ts"

/** Where a webhook is reached, and what its certificate must name. */
export interface WebhookAddress {
  readonly url: URL
  /** The address to connect to, if it is not that of the URL's name. */
  readonly connectTo?: { readonly host: string; readonly port: number }
}

/** The objects by which services are found, for example the API server's registry. */
export interface ServiceObjects {
  readonly kinds: {
    readonly Service: { readonly cache: Pick<ObjectCache, "get"> }
    readonly EndpointSlice: { readonly cache: Pick<ObjectCache, "visit"> }
  }
}

/**
 * Returns the address and port of a service: those of a ready endpoint, because the cluster has no proxy that routes the
 * service's own address, and else its own. Upstream: apiserver/pkg/util/proxy/proxy.go, ResolveEndpoint and
 * ResolveCluster.
 */
export const resolveService = (
  objects: ServiceObjects,
  namespace: string,
  name: string,
  port: number
): Result.Result<{ readonly host: string; readonly port: number }, string> => {
  const service = objects.kinds.Service.cache.get(namespace, name)?.object as Service | undefined
  if (service === undefined) return Result.fail(`service ${JSON.stringify(name)} not found`)
  const { clusterIP = "", externalName = "", ports = [], type } = service.spec ?? {}
  if (type === "ExternalName") return Result.succeed({ host: externalName, port })
  if (clusterIP === "None" || clusterIP === "")
    return Result.fail(`cannot route to service with ClusterIP ${JSON.stringify(clusterIP)}`)
  const servicePort = ports.find((each) => each.port === port)
  if (servicePort === undefined) return Result.fail(`no service port ${port} found for service ${JSON.stringify(name)}`)
  let found: { readonly host: string; readonly port: number } | undefined
  objects.kinds.EndpointSlice.cache.visit(namespace, (object) => {
    const slice = object as EndpointSlice
    if (found !== undefined || slice.metadata.labels?.["kubernetes.io/service-name"] !== name) return
    const target = slice.ports?.find((each) => (each.name ?? "") === (servicePort.name ?? ""))?.port
    const ready = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false)
    if (target !== undefined && ready !== undefined) found = { host: ready.addresses[0] ?? "", port: target }
  })
  return Result.succeed(found ?? { host: clusterIP, port })
}

/** Returns the address of a webhook, its text for messages, and where to connect to, or why that is unknown. */
export const addressOf = (
  { service, url }: WebhookClientConfig,
  objects: ServiceObjects
): {
  readonly url: URL
  readonly text: string
  readonly connectTo: Result.Result<WebhookAddress["connectTo"], string>
} => {
  if (service === undefined) {
    const text = goUrl(url ?? "")
    return { url: new URL(text), text, connectTo: Result.succeed(undefined) }
  }
  const { name, namespace, path = "", port = 443 } = service
  const text = goUrl(`https://${name}.${namespace}.svc:${port}/${path}`)
  return { url: new URL(text), text, connectTo: resolveService(objects, namespace, name, port) }
}
