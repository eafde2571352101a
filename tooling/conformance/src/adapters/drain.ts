import { formatTime, type Pod, type PodDisruptionBudget, parseLabelSelector } from "@rollcall/api"
import { decideEviction } from "@rollcall/api-server"
import { podsForDeletion } from "@rollcall/drain"
import { describeNode } from "@rollcall/kubectl"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const nowMs = 1_767_225_600_000

const podOf = ({ deletedSecondsAgo, ...pod }: Json): Pod => {
  if (deletedSecondsAgo === undefined) return pod
  const deletionTimestamp = formatTime(nowMs - deletedSecondsAgo * 1000)
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } }
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

const budgetOf = ({
  condition,
  disruptedPods,
  generation,
  name,
  unhealthyPodEvictionPolicy,
  ...status
}: Json): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, generation },
  spec: { selector: {}, ...(unhealthyPodEvictionPolicy === null ? {} : { unhealthyPodEvictionPolicy }) },
  status: {
    ...status,
    disruptedPods: Object.fromEntries(Array.from({ length: disruptedPods }, (_, index) => [`p${index}`, ""])),
    conditions: condition === null ? [] : [condition]
  }
})

const evictedPod = ({ phase, ready, terminating }: Json): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...(terminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { containers: [] },
  status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
})

/** What the cases ask of each refusal. */
const shown = ({ code, details, message, reason }: Json): Json => {
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
  "drain/eviction": ({ given }) => {
    const decision = decideEviction(evictedPod(given.pod), given.budgets.map(budgetOf))
    if (decision._tag === "Refuse") return shown(decision.status)
    return { code: 201, podDeleted: !given.dryRun, budgetUsed: decision._tag === "Spend" && !given.dryRun }
  }
}
