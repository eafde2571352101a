import type { DeleteOptions, KubeObject, Pod } from "@rollcall/api"
import { parseTime } from "@rollcall/api"
import { decideDeletion, isFinished } from "@rollcall/api-server"
import type { Adapters, Json } from "../Adapter.ts"

const NOW = 1_767_225_600_000

const podOf = ({ finalizers, nodeName, phase, terminationGracePeriodSeconds = 30 }: Json): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", generation: 1, ...(finalizers === undefined ? {} : { finalizers }) },
  spec: { containers: [], terminationGracePeriodSeconds, ...(nodeName === undefined ? {} : { nodeName }) },
  ...(phase === undefined ? {} : { status: { phase } })
})

const deleted = (pod: KubeObject, options: DeleteOptions): KubeObject | undefined => {
  const deletion = decideDeletion(pod, options, NOW)
  if (deletion._tag === "Unchanged") return pod
  return deletion._tag === "Mark" ? deletion.object : undefined
}

const withoutFinalizers = (pod: KubeObject): KubeObject | undefined => {
  const { finalizers: _, ...metadata } = pod.metadata
  const updated = { ...pod, metadata }
  return isFinished(updated, pod) ? undefined : updated
}

const shown = ({ metadata }: KubeObject) => ({
  deleting: metadata.deletionTimestamp !== undefined,
  ...(metadata.deletionTimestamp === undefined
    ? {}
    : {
        deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
        deletionTimestampMinusNow: (parseTime(metadata.deletionTimestamp) - NOW) / 1000
      }),
  generation: metadata.generation,
  ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers })
})

export const deletionAdapters: Adapters = {
  "api/poddeletion": ({ given, when }) => {
    let pod: KubeObject | undefined = podOf(given.pod)
    const steps = []
    for (const { op, options = {} } of when) {
      if (pod === undefined) {
        steps.push({ code: 404, pod: "absent" })
        continue
      }
      pod = op === "delete" ? deleted(pod, options) : withoutFinalizers(pod)
      steps.push({ code: 200, pod: pod === undefined ? "absent" : shown(pod) })
    }
    return { steps }
  }
}
