import { badRequest, goQuote, groupResourceOf, notFound, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { InvalidParameter } from "../request/Query.ts"
import type { PodConnections } from "./podKubelet.ts"
import { logOptionsRefusal, serveLog } from "./podLog.ts"
import { serveStream } from "./podStreams.ts"
import { podTarget } from "./proxy/podTarget.ts"
import { splitSchemeNamePort } from "./proxy/proxyTarget.ts"

/*
 * The subresources of pods that connect a client to a container: log, exec, attach, portforward and proxy. Upstream:
 * pkg/registry/core/pod/rest, pkg/registry/core/pod/strategy.go.
 */

/** Serves a connection to a pod; `path` is what the path of a proxied request says after `proxy`. */
export const servePodConnection = (
  call: Call,
  { cache, definition }: KindState,
  connections: PodConnections,
  path: string
) => {
  const { name, namespace, subresource } = call.info
  const podName = subresource === "proxy" ? splitSchemeNamePort(name)?.name : name
  if (podName === undefined) return sendStatus(call, badRequest(`invalid pod request ${goQuote(name)}`))
  try {
    const refusal = subresource === "log" ? logOptionsRefusal(call) : undefined
    if (refusal !== undefined) return sendStatus(call, refusal)
    const pod = cache.get(namespace, podName)?.object as Pod | undefined
    if (pod === undefined) return sendStatus(call, notFound(groupResourceOf(definition.resource), podName))
    if (subresource === "log") serveLog(call, pod, connections)
    else if (subresource === "proxy") serveProxy(call, pod, connections, path)
    else serveStream(call, pod, connections)
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error
    sendStatus(call, error.status)
  }
}

/** Passes a request on to a process in a pod. */
const serveProxy = (call: Call, pod: Pod, { kubelets }: PodConnections, path: string) => {
  const target = podTarget(call.info.name, pod)
  if (Result.isFailure(target)) sendStatus(call, target.failure)
  else kubelets.forward(call, target.success, path)
}
