import type { Endpoints, Pod, Service } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Registry } from "../../core/registry/Registry.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import type { NodeProxy } from "./NodeProxy.ts"
import { serviceTarget } from "./proxy/serviceTarget.ts"

/**
 * Serves the subresource `proxy` of a Service; `path` is what the path says after it. Upstream:
 * pkg/registry/core/service/proxy.go.
 */
export const serveServiceProxy = (call: Call, { kinds }: Registry, proxy: NodeProxy, path: string) => {
  const { name, namespace } = call.info
  const objects = {
    service: (named: string) => kinds.Service.cache.get(namespace, named)?.object as Service | undefined,
    endpoints: (named: string) => kinds.Endpoints.cache.get(namespace, named)?.object as Endpoints | undefined,
    pod: (named: string) => kinds.Pod.cache.get(namespace, named)?.object as Pod | undefined
  }
  const target = serviceTarget(name, namespace, objects)
  if (Result.isFailure(target)) return sendStatus(call, target.failure)
  const { ip, node, port, scheme } = target.success
  proxy.forward(call, { node, host: ip, port, isKubelet: false, scheme }, path)
}
