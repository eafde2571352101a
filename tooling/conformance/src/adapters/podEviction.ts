import { ApiError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { withServer } from "../inProcess.ts"

const pod = { kind: "Pod", namespace: "default", name: "ep" } as const

const podOf = ({ labels, nodeName }: Json): Json => ({
  metadata: { name: "ep", namespace: "default", labels },
  spec: { nodeName, containers: [{ name: "c", image: "i" }] }
})

const statusOf = ({ phase, ready }: Json): Json => ({
  status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
})

const podResult = (found: Json): Json => {
  const { deletionGracePeriodSeconds, deletionTimestamp } = found.metadata
  const target = found.status.conditions?.find(({ type }: Json) => type === "DisruptionTarget")
  const deleting = deletionTimestamp !== undefined
  return {
    deleting,
    ...(deleting ? { deletionGracePeriodSeconds } : {}),
    ...(target && { DisruptionTarget: { status: target.status, reason: target.reason, message: target.message } })
  }
}

const budgetResult = ({ disruptedPods = {}, disruptionsAllowed }: Json): Json => ({
  disruptionsAllowed,
  disruptedPods: Object.keys(disruptedPods)
})

const statusResult = ({ code, details, message, reason, status }: Json): Json => ({
  code,
  status,
  ...(reason && { reason }),
  ...(message && { message }),
  ...(details && { details }),
  ...(details?.retryAfterSeconds && { retryAfterHeader: String(details.retryAfterSeconds) })
})

export const podEvictionAdapters: Adapters = {
  "api/eviction": ({ given }) =>
    withServer([], (send) => {
      const sendOrThrow = (request: Json): Json => Result.getOrThrow(send(request))
      if (given.pod !== null) {
        sendOrThrow({ verb: "create", ...pod, object: podOf(given.pod) })
        sendOrThrow({ verb: "patch", ...pod, subresource: "status", patchType: "strategic", body: statusOf(given.pod) })
        if (given.pod.deleting) sendOrThrow({ verb: "delete", ...pod })
      }
      for (const { name, spec, status } of given.pdbs) {
        const budget = { kind: "PodDisruptionBudget", namespace: "default", name }
        sendOrThrow({ verb: "create", ...budget, object: { metadata: { name }, spec } })
        sendOrThrow({ verb: "patch", ...budget, subresource: "status", patchType: "merge", body: { status } })
      }
      const dryRun = given.dryRun === true
      const answer = send({ verb: "create", ...pod, subresource: "eviction", object: given.eviction, dryRun })
      const status = Result.isSuccess(answer)
        ? answer.success
        : answer.failure instanceof ApiError
          ? answer.failure.status
          : undefined
      const found = send({ verb: "get", ...pod })
      const [budget] = given.pdbs
      return {
        ...statusResult(status),
        pod: Result.isSuccess(found) ? podResult(found.success) : "absent",
        ...(budget && {
          budget: budgetResult(
            sendOrThrow({ verb: "get", kind: "PodDisruptionBudget", namespace: "default", name: budget.name }).status
          )
        })
      }
    })
}
