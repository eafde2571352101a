import { applyMergePatch } from "@rollcall/api/patch"
import { serverAdmissionPlugins } from "@rollcall/api-server/security"
import type { Answer } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { type Send, withAdmission } from "../inProcess.ts"

/** The chain of a server with kubelets. The pods of the cases name no service account, and there is none. */
const chain = serverAdmissionPlugins({ disabled: ["ServiceAccount"] })

/** Returns the first line of a text: the vectors contain only that. */
const firstLine = (text: string): string => {
  const end = text.indexOf("\n")
  return end < 0 ? text : `${text.slice(0, end)} ...`
}

const containersOf = (containers: ReadonlyArray<Json>): Json =>
  containers.map(({ image, name, resizePolicy, resources }) => ({
    name,
    image,
    resources: resources ?? {},
    ...(resizePolicy === undefined ? {} : { resizePolicy })
  }))

const resized = ({ metadata, spec, status }: Json): Json => ({
  code: 200,
  containers: containersOf(spec.containers),
  ...(spec.initContainers === undefined ? {} : { initContainers: containersOf(spec.initContainers) }),
  ...(spec.resources === undefined ? {} : { resources: spec.resources }),
  generation: metadata.generation,
  ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
  qosClass: status.qosClass
})

const outcome = (answer: Answer): Json => {
  if (Result.isSuccess(answer)) return resized(answer.success)
  if (answer.failure._tag !== "ApiError") throw answer.failure
  const { code, details, message = "", reason } = answer.failure.status
  const causes = details?.causes?.map((cause) => ({
    ...cause,
    ...(cause.message === undefined ? {} : { message: firstLine(cause.message) })
  }))
  return { code, reason, message: firstLine(message), ...(causes === undefined ? {} : { causes }) }
}

const made = (answer: Answer): Json => {
  if (Result.isFailure(answer)) throw answer.failure
  return answer.success
}

const createNode = (send: Send, { allocatable, declaredFeatures }: Json): void => {
  const at = { kind: "Node", name: "n" } as const
  const node = made(
    send({ verb: "create", ...at, object: { apiVersion: "v1", kind: "Node", metadata: { name: "n" } } })
  )
  const status = { ...node.status, capacity: allocatable, allocatable, declaredFeatures }
  made(send({ verb: "update", ...at, subresource: "status", object: { ...node, status } }))
}

const validation = ({ given }: { readonly given: Json }): Json =>
  withAdmission(chain, (send) => {
    const { bound, change, node, pod, status } = given
    const at = { kind: "Pod", namespace: pod.metadata.namespace, name: pod.metadata.name } as const
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: at.namespace } }
    made(send({ verb: "create", kind: "Namespace", name: at.namespace, object: namespace }))
    if (node !== undefined) createNode(send, node)
    made(send({ verb: "create", ...at, object: pod }))
    if (bound === true) {
      const binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: at.name },
        target: { kind: "Node", name: "n" }
      }
      made(send({ verb: "create", ...at, subresource: "binding", object: binding }))
    }
    const current = () => made(send({ verb: "get", ...at }))
    if (status !== undefined) {
      const object = Result.getOrThrow(applyMergePatch(current(), { status })) as Json
      made(send({ verb: "update", ...at, subresource: "status", object }))
    }
    const { metadata, ...rest } = Result.getOrThrow(applyMergePatch(current(), change)) as Json
    const { resourceVersion: _, ...unversioned } = metadata
    return outcome(send({ verb: "update", ...at, subresource: "resize", object: { ...rest, metadata: unversioned } }))
  })

export const resizeAdapters: Adapters = { "resize/validation": validation }
