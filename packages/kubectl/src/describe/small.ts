import {
  type ConfigMap,
  type Event,
  formatLabelSelector,
  type IngressClass,
  type Namespace,
  type PodDisruptionBudget,
  type PriorityClass,
  type Secret,
  type ServiceAccount,
  sortedEntries
} from "@rollcall/api"
import { writeAnnotations, writeEvents, writeHead, writeLabels, writeList } from "./parts.ts"
import { longTime, Writer } from "./Writer.ts"

type Events = ReadonlyArray<Event> | undefined

const bytesOf = (base64: string): number => {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

/** Upstream: kubectl/pkg/describe/describe.go, describeConfigMap. */
export const describeConfigMap = (configMap: ConfigMap, events: Events, nowMs: number): string => {
  const out = new Writer()
  writeHead(out, configMap)
  out.write(0, "\nData\n====\n")
  for (const [key, value] of sortedEntries(configMap.data)) out.write(0, `${key}:\n----\n${value}\n\n`)
  out.write(0, "\nBinaryData\n====\n")
  for (const [key, value] of sortedEntries(configMap.binaryData)) out.write(0, `${key}: ${bytesOf(value)} bytes\n`)
  out.write(0, "\n")
  writeEvents(out, events, nowMs)
  return out.text
}

/** Shows sizes, not values. Upstream: describeSecret. */
export const describeSecret = (secret: Secret): string => {
  const out = new Writer()
  writeHead(out, secret)
  out.write(0, `\nType:\t${secret.type ?? ""}\n\nData\n====\n`)
  for (const [key, value] of sortedEntries(secret.data)) out.line(0, `${key}:`, `${bytesOf(value)} bytes`)
  return out.text
}

/** Upstream: describeServiceAccount. */
export const describeServiceAccount = (
  account: ServiceAccount,
  tokens: ReadonlyArray<string>,
  events: Events,
  nowMs: number
): string => {
  const out = new Writer()
  writeHead(out, account)
  writeList(
    out,
    "Image pull secrets",
    (account.imagePullSecrets ?? []).map(({ name }) => name ?? "")
  )
  writeList(
    out,
    "Mountable secrets",
    (account.secrets ?? []).map(({ name }) => name ?? "")
  )
  writeList(out, "Tokens", tokens)
  writeEvents(out, events, nowMs)
  return out.text
}

/** Upstream: describeNamespace. It lists no ResourceQuotas and LimitRanges. */
export const describeNamespace = (namespace: Namespace): string => {
  const out = new Writer()
  const { metadata, status } = namespace
  out.line(0, "Name:", metadata.name ?? "")
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "Status:", status?.phase ?? "")
  const conditions = status?.conditions ?? []
  if (conditions.length > 0) {
    out.line(0, "Conditions:")
    out.line(1, "Type", "Status", "LastTransitionTime", "Reason", "Message")
    out.line(1, "----", "------", "------------------", "------", "-------")
    for (const { lastTransitionTime, message = "", reason = "", status: state, type } of conditions) {
      out.line(1, type, state, longTime(lastTransitionTime), reason, message)
    }
  }
  out.write(0, "\nNo resource quota.\n").write(0, "\nNo LimitRange resource.\n")
  return out.text
}

/** Upstream: describeIngressClassV1. */
export const describeIngressClass = (ingressClass: IngressClass, events: Events, nowMs: number): string => {
  const out = new Writer()
  writeHead(out, ingressClass, { namespaced: false })
  const { controller, parameters } = ingressClass.spec ?? {}
  out.line(0, "Controller:", controller ?? "")
  if (parameters !== undefined) {
    out.line(0, "Parameters:")
    if (parameters.apiGroup !== undefined) out.line(1, "APIGroup:", parameters.apiGroup)
    out.line(1, "Kind:", parameters.kind).line(1, "Name:", parameters.name)
  }
  writeEvents(out, events, nowMs)
  return out.text
}

/** Upstream: describePriorityClass. */
export const describePriorityClass = (priorityClass: PriorityClass, events: Events, nowMs: number): string => {
  const out = new Writer()
  const { description, globalDefault, metadata, preemptionPolicy, value } = priorityClass
  out.line(0, "Name:", metadata.name ?? "").line(0, "Value:", value)
  out.line(0, "GlobalDefault:", globalDefault ?? false)
  if (preemptionPolicy !== undefined) out.line(0, "PreemptionPolicy:", preemptionPolicy)
  out.line(0, "Description:", description ?? "")
  writeAnnotations(out, "Annotations", metadata.annotations)
  writeEvents(out, events, nowMs)
  return out.text
}

/** Upstream: describePodDisruptionBudget. */
export const describePodDisruptionBudget = (budget: PodDisruptionBudget, events: Events, nowMs: number): string => {
  const out = new Writer()
  const { metadata, spec, status } = budget
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  if (spec?.minAvailable !== undefined) out.line(0, "Min available:", spec.minAvailable)
  else if (spec?.maxUnavailable !== undefined) out.line(0, "Max unavailable:", spec.maxUnavailable)
  out.line(0, "Selector:", spec?.selector === undefined ? "<unset>" : formatLabelSelector(spec.selector) || "<none>")
  out.line(0, "Status:")
  out.line(2, "Allowed disruptions:", status?.disruptionsAllowed ?? 0)
  out.line(2, "Current:", status?.currentHealthy ?? 0)
  out.line(2, "Desired:", status?.desiredHealthy ?? 0)
  out.line(2, "Total:", status?.expectedPods ?? 0)
  writeEvents(out, events, nowMs)
  return out.text
}
