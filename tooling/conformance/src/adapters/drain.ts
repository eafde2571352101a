import { formatTime, type Pod, parseLabelSelector } from "@rollcall/api"
import { ApiError, type ApiRequest } from "@rollcall/cluster"
import { podsForDeletion } from "@rollcall/drain"
import { describeNode } from "@rollcall/kubectl"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { SERVER_TIME_MS, withServer } from "../inProcess.ts"

const nowMs = SERVER_TIME_MS

const podOf = ({ deletedSecondsAgo, ...pod }: Json): Pod => {
  if (deletedSecondsAgo === undefined) return pod
  const deletionTimestamp = formatTime(nowMs - deletedSecondsAgo * 1000)
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } }
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

const pod = { kind: "Pod", namespace: "default", name: "p" } as const

const createPod = (sendOrThrow: (request: ApiRequest) => Json, { phase, ready, terminating }: Json): void => {
  const object = { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } }
  const status = { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
  sendOrThrow({ verb: "create", ...pod, object })
  sendOrThrow({ verb: "patch", ...pod, subresource: "status", patchType: "strategic", body: { status } })
  if (terminating) sendOrThrow({ verb: "delete", ...pod })
}

const createBudget = (sendOrThrow: (request: ApiRequest) => Json, given: Json, name: string): void => {
  const { condition, disruptedPods, generation, name: _, unhealthyPodEvictionPolicy, ...numbers } = given
  const budget = { kind: "PodDisruptionBudget", namespace: "default", name } as const
  const policy = unhealthyPodEvictionPolicy === null ? {} : { unhealthyPodEvictionPolicy }
  const { metadata } = sendOrThrow({
    verb: "create",
    ...budget,
    object: { metadata: { name }, spec: { selector: {}, minAvailable: 1, ...policy } }
  })
  for (let next = metadata.generation; next < generation; next++) {
    sendOrThrow({ verb: "patch", ...budget, patchType: "merge", body: { spec: { minAvailable: next + 1 } } })
  }
  const time = formatTime(SERVER_TIME_MS)
  const status = {
    ...numbers,
    disruptedPods: Object.fromEntries(Array.from({ length: disruptedPods }, (_none, index) => [`p${index}`, time])),
    conditions: condition === null ? [] : [condition]
  }
  sendOrThrow({ verb: "patch", ...budget, subresource: "status", patchType: "merge", body: { status } })
}

/** Evicts a pod through a server that has the budgets. */
const evictPod = ({ given }: { readonly given: Json }): Json =>
  withServer([], (send) => {
    const sendOrThrow = (request: ApiRequest): Json => Result.getOrThrow(send(request))
    createPod(sendOrThrow, given.pod)
    const names = given.budgets.map((_: Json, index: number) => (index === 0 ? "b" : `b${index}`))
    for (const [index, budget] of given.budgets.entries()) createBudget(sendOrThrow, budget, names[index])
    const object = { metadata: { name: "p", namespace: "default" } }
    const answer = send({ verb: "create", ...pod, subresource: "eviction", object, dryRun: given.dryRun })
    if (Result.isFailure(answer)) {
      if (!(answer.failure instanceof ApiError)) throw answer.failure
      return refusalResult(answer.failure.status)
    }
    const found = send({ verb: "get", ...pod })
    const isUsed = (name: string, index: number): boolean => {
      const { status } = sendOrThrow({ verb: "get", kind: "PodDisruptionBudget", namespace: "default", name })
      return status.disruptionsAllowed === given.budgets[index].disruptionsAllowed - 1 && "p" in status.disruptedPods
    }
    return {
      code: (answer.success as Json).code,
      podDeleted: Result.isFailure(found) || (found.success as Json).metadata.deletionTimestamp !== undefined,
      budgetUsed: names.some(isUsed)
    }
  })

/** Returns the compared fields of a refusal. */
const refusalResult = ({ code, details, message, reason }: Json): Json => {
  const [cause] = details?.causes ?? []
  if (code === 403) return { code, reason }
  if (code === 500) return { code, message }
  const retryAfterSeconds = details?.retryAfterSeconds ?? 0
  return { code, reason, message, retryAfterSeconds, causeType: cause.reason, cause: cause.message }
}

export const drainAdapters: Adapters = {
  "drain/classify": ({ given }) => {
    const daemonSets = new Set(given.daemonSets.map(({ name, namespace }: Json) => `${namespace}/${name}`))
    const { podSelector, skipWaitForDeleteTimeout, ...flags } = given.flags
    const { errors, evict, pods, warnings } = podsForDeletion(given.pods.map(podOf), {
      ...flags,
      nowMs,
      ...(podSelector && { podSelector: Result.getOrThrow(parseLabelSelector(podSelector)) }),
      ...(skipWaitForDeleteTimeout && { skipWaitForDeleteTimeoutSeconds: skipWaitForDeleteTimeout }),
      daemonSetError: (namespace, name) =>
        daemonSets.has(`${namespace}/${name}`)
          ? undefined
          : { notFound: true, message: `daemonsets.apps "${name}" not found` }
    })
    return {
      perPod: Object.fromEntries(pods.map(({ pod, verdict }) => [nameOf(pod), verdict])),
      errors,
      evict: evict.map(nameOf),
      warnings
    }
  },
  "drain/describe-node": ({ given }) => {
    const text = describeNode({ node: given.node, lease: "", pods: given.pods, events: undefined, nowMs })
    return { tail: text.slice(text.indexOf("Non-terminated Pods:")).replace(/\n$/, "") }
  },
  "drain/eviction": evictPod
}
