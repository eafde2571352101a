import { type Endpoints, type Pod, type Service, serviceUnavailable } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Registry } from "../../core/registry/Registry.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { hostPort } from "./proxy/KubeletTransport.ts"
import { serviceTarget } from "./proxy/serviceTarget.ts"

/**
 * Serves the subresource `proxy` of a Service. No process listens on the address of a modelled pod. Upstream:
 * pkg/registry/core/service/proxy.go.
 */
export const serveServiceProxy = (call: Call, { kinds }: Registry) => {
  const { name, namespace } = call.info
  const objects = {
    service: (named: string) => kinds.Service.cache.get(namespace, named)?.object as Service | undefined,
    endpoints: (named: string) => kinds.Endpoints.cache.get(namespace, named)?.object as Endpoints | undefined,
    pod: (named: string) => kinds.Pod.cache.get(namespace, named)?.object as Pod | undefined
  }
  const target = serviceTarget(name, namespace, objects)
  if (Result.isFailure(target)) return sendStatus(call, target.failure)
  const { ip, port } = target.success
  const message = `error trying to reach service: dial tcp ${hostPort({ host: ip, port })}: a modelled pod serves nothing`
  sendStatus(call, serviceUnavailable(message))
}
