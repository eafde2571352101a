import { formatTime, internalError, type Node, notFound, type Pod, type Status } from "@rollcall/api"
import type { LocalApi, LocalRequest } from "@rollcall/api-server/http"
import type { Connection } from "@rollcall/cluster"
import { modelledUsage } from "@rollcall/kubelet"
import type { Machine } from "@rollcall/machines"
import * as Result from "effect/Result"

/*
 * The metrics.k8s.io API of a cluster whose machines are modelled, in place of a metrics server. Upstream:
 * kubernetes-sigs/metrics-server, pkg/api.
 */

const GROUP = "metrics.k8s.io"
const API_VERSION = `${GROUP}/v1beta1`
/** How long a metrics server measures before it answers. */
const WINDOW = "15s"

interface Usage {
  readonly cpuNanoCores: number
  readonly memoryBytes: number
}

const usageOf = ({ cpuNanoCores, memoryBytes }: Usage) => ({
  cpu: `${Math.round(cpuNanoCores)}n`,
  memory: `${Math.round(memoryBytes / 1024)}Ki`
})

const headOf = ({ metadata }: Pod | Node, now: string) => {
  const { labels, name, namespace } = metadata
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: now,
      ...(labels === undefined ? {} : { labels })
    },
    timestamp: now,
    window: WINDOW
  }
}

/** The machine of a node, if a metrics server reaches its kubelet. */
type ReachableMachine = (node: string) => boolean

const podMetrics = (pod: Pod, reaches: ReachableMachine, now: string) => {
  const containers = reaches(pod.spec.nodeName ?? "") ? modelledUsage(pod) : []
  return containers.length === 0
    ? []
    : [{ ...headOf(pod, now), containers: containers.map((usage) => ({ name: usage.name, usage: usageOf(usage) })) }]
}

/** Sums what the pods of each node use. */
const usageOfNodes = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, Usage> => {
  const sums = new Map<string, Usage>()
  for (const pod of pods) {
    const node = pod.spec.nodeName ?? ""
    for (const { cpuNanoCores, memoryBytes } of node === "" ? [] : modelledUsage(pod)) {
      const sum = sums.get(node) ?? { cpuNanoCores: 0, memoryBytes: 0 }
      const cpu = sum.cpuNanoCores + cpuNanoCores
      sums.set(node, { cpuNanoCores: cpu, memoryBytes: sum.memoryBytes + memoryBytes })
    }
  }
  return sums
}

const nodeMetrics = (nodes: ReadonlyArray<Node>, pods: ReadonlyArray<Pod>, reaches: ReachableMachine, now: string) => {
  const sums = usageOfNodes(pods)
  return nodes
    .filter(({ metadata }) => reaches(metadata.name ?? ""))
    .map((node) => ({
      ...headOf(node, now),
      usage: usageOf(sums.get(node.metadata.name ?? "") ?? { cpuNanoCores: 0, memoryBytes: 0 })
    }))
}

type Reply = Parameters<LocalApi["read"]>[2]
type ListQuery = Partial<Pick<LocalRequest, "fieldSelector" | "labelSelector" | "namespace">>

/** Lists objects as the server itself; an error is the answer to the client. */
const list = <A>(
  connection: Connection,
  kind: "Node" | "Pod",
  { fieldSelector, labelSelector, namespace = "" }: ListQuery,
  refuse: (status: Status) => void,
  done: (items: ReadonlyArray<A>) => void
): void => {
  const query = {
    ...(namespace === "" ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector })
  }
  connection.send({ verb: "list", kind, ...query }, (answer) => {
    if (Result.isFailure(answer))
      refuse("status" in answer.failure ? answer.failure.status : internalError(answer.failure.message))
    else done((answer.success as { readonly items: ReadonlyArray<A> }).items)
  })
}

/** Returns what a metrics server lacks: the object itself, by its lister, or what it has measured of it. */
const missing = ({ name, namespace, resource }: LocalRequest, isKnown: boolean): Status => {
  if (resource === "pods")
    return isKnown
      ? notFound({ group: GROUP, resource: "podmetrics" }, `${namespace}/${name}`)
      : notFound({ group: "", resource }, name)
  return isKnown
    ? notFound({ group: GROUP, resource: "nodemetrics" }, name)
    : notFound({ group: "", resource: "node" }, name)
}

/** Makes metrics.k8s.io/v1beta1 of modelled machines: what their pods use by their behaviour. It keeps nothing. */
export const resourceMetricsApi = (
  machineNamed: (name: string) => Machine | undefined,
  now: () => number
): LocalApi => {
  const reaches: ReachableMachine = (name) => {
    const machine = machineNamed(name)
    return machine?.powered === true && machine.kubelet.running && !machine.link.state.cut
  }
  const answer = (request: LocalRequest, isKnown: boolean, items: ReadonlyArray<object>, reply: Reply) => {
    const kind = request.resource === "pods" ? "PodMetrics" : "NodeMetrics"
    const [only] = items
    if (request.name === "")
      reply(Result.succeed({ kind: `${kind}List`, apiVersion: API_VERSION, metadata: {}, items }))
    else if (only === undefined) reply(Result.fail(missing(request, isKnown)))
    else reply(Result.succeed({ kind, apiVersion: API_VERSION, ...only }))
  }
  return {
    group: GROUP,
    version: "v1beta1",
    // Of metrics-server's APIService.
    groupPriority: 100,
    versionPriority: 100,
    resources: [
      { plural: "nodes", kind: "NodeMetrics", namespaced: false },
      { plural: "pods", kind: "PodMetrics", namespaced: true }
    ],
    read: (request, connection, reply) => {
      const { fieldSelector, labelSelector, name, namespace, resource } = request
      const refuse = (status: Status) => reply(Result.fail(status))
      const named = name === "" ? {} : { fieldSelector: `metadata.name=${name}` }
      const query = { namespace, fieldSelector, labelSelector, ...named }
      const time = formatTime(now())
      if (resource === "pods") {
        list<Pod>(connection, "Pod", query, refuse, (pods) =>
          answer(
            request,
            pods.length > 0,
            pods.flatMap((pod) => podMetrics(pod, reaches, time)),
            reply
          )
        )
        return
      }
      list<Node>(connection, "Node", query, refuse, (nodes) => {
        const onNode = name === "" ? {} : { fieldSelector: `spec.nodeName=${name}` }
        list<Pod>(connection, "Pod", onNode, refuse, (pods) =>
          answer(request, nodes.length > 0, nodeMetrics(nodes, pods, reaches, time), reply)
        )
      })
    }
  }
}
