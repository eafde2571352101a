import { badRequest, type Node, notFound, type Pod, type Status } from "@rollcall/api"
import * as Result from "effect/Result"
import type { NodeProxy } from "./NodeProxy.ts"
import type { KubeletAddressing } from "./proxy/KubeletTransport.ts"
import { kubeletOf } from "./proxy/proxyTarget.ts"

/** What the connections of pods need of the server. */
export interface PodConnections {
  readonly kubelets: NodeProxy
  readonly nodeNamed: (name: string) => Node | undefined
}

/** Returns the container that a request names, or the only one. */
export const containerOf = ({ metadata, spec }: Pod, asked: string): Result.Result<string, Status> => {
  const { containers = [], ephemeralContainers = [], initContainers = [] } = spec
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  const { name = "" } = metadata
  if (asked !== "") {
    return names.includes(asked)
      ? Result.succeed(asked)
      : Result.fail(badRequest(`container ${asked} is not valid for pod ${name}`))
  }
  const [only, ...others] = containers
  if (only !== undefined && others.length === 0) return Result.succeed(only.name)
  const choice = only === undefined ? "" : `, choose one of: [${names.join(" ")}]`
  return Result.fail(badRequest(`a container name must be specified for pod ${name}${choice}`))
}

/** Returns the kubelet of a pod. Kubernetes names a missing node as if it were of the request's resource. */
export const podKubelet = (nodeName: string, nodeNamed: PodConnections["nodeNamed"], addressing: KubeletAddressing) =>
  Result.mapError(kubeletOf(nodeName, nodeNamed, addressing), (refusal) =>
    refusal.reason === "NotFound" ? notFound({ group: "", resource: "pods" }, nodeName) : refusal
  )
