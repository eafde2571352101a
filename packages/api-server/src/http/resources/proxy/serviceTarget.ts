import {
  badRequest,
  type EndpointAddress,
  type Endpoints,
  goQuote,
  notFound,
  type Pod,
  type Service,
  type Status,
  serviceUnavailable
} from "@rollcall/api"
import * as Result from "effect/Result"
import { splitSchemeNamePort } from "./proxyTarget.ts"

/** What the target of a proxied Service is found by. */
export interface ServiceObjects {
  readonly service: (name: string) => Service | undefined
  readonly endpoints: (name: string) => Endpoints | undefined
  readonly pod: (name: string) => Pod | undefined
}

export interface ServiceTarget {
  readonly scheme: "http" | "https"
  /** The node of the endpoint's pod. */
  readonly node: string
  readonly ip: string
  readonly port: number
}

const INTEGER = /^[+-]?\d+$/

/** Whether an address is that of the pod that it refers to. */
const isOfPod = ({ ip, targetRef }: EndpointAddress, namespace: string, { pod }: ServiceObjects): boolean => {
  if (targetRef?.name === undefined || targetRef.namespace !== namespace) return false
  return pod(targetRef.name)?.status?.podIPs?.some((entry) => entry.ip === ip) === true
}

/**
 * Returns the endpoint that a request to a Service is proxied to, or the Status that refuses it; `id` is the name in the
 * path. Upstream picks one at random, this the first. Upstream: pkg/registry/core/service/storage/storage.go,
 * ResourceLocation.
 */
export const serviceTarget = (
  id: string,
  namespace: string,
  objects: ServiceObjects
): Result.Result<ServiceTarget, Status> => {
  const asked = splitSchemeNamePort(id)
  if (asked === undefined) return Result.fail(badRequest(`invalid service request ${goQuote(id)}`))
  const { name } = asked
  // The error names the resource of the request, also when only its endpoints are missing.
  const unknown = Result.fail(notFound({ group: "", resource: "services" }, name))
  let portName = asked.port
  if (INTEGER.test(portName)) {
    const service = objects.service(name)
    if (service === undefined) return unknown
    const found = service.spec?.ports?.find(({ port }) => port === Number(portName))
    if (found === undefined) {
      const message = `no service port ${Number(portName)} found for service ${JSON.stringify(name)}`
      return Result.fail(serviceUnavailable(message))
    }
    portName = found.name ?? ""
  }
  const endpoints = objects.endpoints(name)
  if (endpoints === undefined) return unknown
  const { subsets = [] } = endpoints
  const none = (of: string) =>
    Result.fail(serviceUnavailable(`no endpoints available for service ${JSON.stringify(of)}`))
  if ((subsets ?? []).length === 0) return none(name)
  for (const { addresses, ports } of subsets ?? []) {
    const port = ports?.find((entry) => (entry.name ?? "") === portName)
    const address = (addresses ?? []).find((entry) => isOfPod(entry, namespace, objects))
    if (port === undefined || address === undefined) continue
    const node = objects.pod(address.targetRef?.name ?? "")?.spec.nodeName ?? ""
    return Result.succeed({ scheme: asked.scheme, node, ip: address.ip, port: port.port })
  }
  return none(id)
}
