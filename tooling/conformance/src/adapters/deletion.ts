import { parseTime } from "@rollcall/api"
import { type Answer, ApiError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { SERVER_TIME_MS, withServer } from "../inProcess.ts"

const pod = { kind: "Pod", namespace: "default", name: "p" } as const

const podOf = ({ finalizers, nodeName, terminationGracePeriodSeconds }: Json): Json => ({
  metadata: { name: "p", finalizers },
  spec: { containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds, nodeName }
})

const codeOf = (answer: Answer): number => {
  if (Result.isSuccess(answer)) return 200
  if (!(answer.failure instanceof ApiError)) throw answer.failure
  return answer.failure.status.code ?? 0
}

const podResult = ({ metadata }: Json): Json => ({
  deleting: metadata.deletionTimestamp !== undefined,
  ...(metadata.deletionTimestamp === undefined
    ? {}
    : {
        deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
        deletionTimestampMinusNow: (parseTime(metadata.deletionTimestamp) - SERVER_TIME_MS) / 1000
      }),
  generation: metadata.generation,
  finalizers: metadata.finalizers
})

export const deletionAdapters: Adapters = {
  "api/poddeletion": ({ given, when }) =>
    withServer([], (send) => {
      Result.getOrThrow(send({ verb: "create", ...pod, object: podOf(given.pod) }))
      if (given.pod.phase !== undefined) {
        const body = { status: { phase: given.pod.phase } }
        Result.getOrThrow(send({ verb: "patch", ...pod, subresource: "status", patchType: "merge", body }))
      }
      const steps = when.map(({ op, options }: Json) => {
        const answer =
          op === "delete"
            ? send({ verb: "delete", ...pod, ...(options === undefined ? {} : { options }) })
            : send({ verb: "patch", ...pod, patchType: "merge", body: { metadata: { finalizers: null } } })
        const found = send({ verb: "get", ...pod })
        return { code: codeOf(answer), pod: Result.isSuccess(found) ? podResult(found.success) : "absent" }
      })
      return { steps }
    })
}
