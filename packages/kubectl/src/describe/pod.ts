import { type Event, getControllerOf, type Pod, qosClassOf, type Toleration } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import { writeContainers } from "./containers.ts"
import { writeAnnotations, writeEvents, writeLabels, writeList } from "./parts.ts"
import { writeVolumes } from "./volumes.ts"
import { longTime, Writer } from "./Writer.ts"

const tolerationText = ({ effect, key, operator, tolerationSeconds, value }: Toleration): string => {
  let text = key ?? ""
  if (value) text += `=${value}`
  if (effect) text += `:${effect}`
  if (operator === "Exists" && !value) text += key || effect ? " op=Exists" : "op=Exists"
  return tolerationSeconds === undefined ? text : `${text} for ${tolerationSeconds}s`
}

export const tolerationTexts = (tolerations: ReadonlyArray<Toleration> | undefined): ReadonlyArray<string> =>
  (tolerations ?? []).toSorted((left, right) => ((left.key ?? "") < (right.key ?? "") ? -1 : 1)).map(tolerationText)

const writeStatus = (out: Writer, { metadata, status }: Pod, nowMs: number): void => {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed"
  if (metadata.deletionTimestamp !== undefined && !isOver) {
    out.line(0, "Status:", `Terminating (lasts ${ageOf(metadata.deletionTimestamp, nowMs)})`)
    out.line(0, "Termination Grace Period:", `${metadata.deletionGracePeriodSeconds ?? 0}s`)
  } else out.line(0, "Status:", status?.phase ?? "")
  if (status?.reason) out.line(0, "Reason:", status.reason)
  if (status?.message) out.line(0, "Message:", status.message)
}

const writeAddresses = (out: Writer, { status }: Pod): void => {
  const ips = status?.podIPs ?? []
  out.line(0, "IP:", status?.podIP ?? "")
  if (ips.length === 0) out.line(0, "IPs:", "<none>")
  else out.line(0, "IPs:")
  for (const { ip } of ips) out.line(1, "IP:", ip)
}

const writeConditions = (out: Writer, pod: Pod): void => {
  const gates = pod.spec.readinessGates ?? []
  const conditions = pod.status?.conditions ?? []
  if (gates.length > 0) {
    out.line(0, "Readiness Gates:").line(1, "Type", "Status")
    for (const { conditionType } of gates) {
      const found = conditions.find(({ type }) => type === conditionType)
      out.line(1, `${conditionType} `, `${found?.status ?? "<none>"} `)
    }
  }
  if (conditions.length === 0) return
  out.line(0, "Conditions:").line(1, "Type", "Status")
  for (const { status, type } of conditions) out.line(1, `${type} `, `${status} `)
}

export const controllerText = (object: Parameters<typeof getControllerOf>[0]): string | undefined => {
  const owner = getControllerOf(object)
  return owner === undefined ? undefined : `${owner.kind}/${owner.name}`
}

/** `kubectl describe pod`. Upstream: kubectl/pkg/describe/describe.go, PodDescriber. */
export const describePod = (pod: Pod, events: ReadonlyArray<Event> | undefined, nowMs: number): string => {
  const out = new Writer()
  const { metadata, spec, status } = pod
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  if (spec.priority !== undefined) out.line(0, "Priority:", spec.priority)
  if (spec.priorityClassName) out.line(0, "Priority Class Name:", spec.priorityClassName)
  if (spec.runtimeClassName) out.line(0, "Runtime Class Name:", spec.runtimeClassName)
  if (spec.serviceAccountName) out.line(0, "Service Account:", spec.serviceAccountName)
  out.line(0, "Node:", spec.nodeName ? `${spec.nodeName}/${status?.hostIP ?? ""}` : "<none>")
  if (status?.startTime) out.line(0, "Start Time:", longTime(status.startTime))
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  writeStatus(out, pod, nowMs)
  writeAddresses(out, pod)
  const controller = controllerText(pod)
  if (controller !== undefined) out.line(0, "Controlled By:", controller)
  if (status?.nominatedNodeName) out.line(0, "NominatedNodeName:", status.nominatedNodeName)
  if (spec.initContainers?.length)
    writeContainers(out, "Init Containers", spec.initContainers, status?.initContainerStatuses)
  writeContainers(out, "Containers", spec.containers, status?.containerStatuses)
  writeConditions(out, pod)
  writeVolumes(out, spec.volumes)
  out.line(0, "QoS Class:", qosClassOf(pod))
  writeLabels(out, "Node-Selectors", spec.nodeSelector)
  writeList(out, "Tolerations", tolerationTexts(spec.tolerations))
  writeEvents(out, events, nowMs)
  return out.text
}
