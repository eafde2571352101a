import {
  type Deployment,
  type Event,
  formatLabelSelector,
  type Pod,
  type PodTemplateSpec,
  type ReplicaSet
} from "@rollcall/api"
import { writeContainers } from "./containers.ts"
import { writeAnnotations, writeEvents, writeLabels, writeList } from "./parts.ts"
import { controllerText, tolerationTexts } from "./pod.ts"
import { writeVolumes } from "./volumes.ts"
import { longTime, Writer } from "./Writer.ts"

type Events = ReadonlyArray<Event> | undefined

const INDENT = "  "

const writeTemplate = (out: Writer, template: PodTemplateSpec | undefined): void => {
  out.line(0, "Pod Template:")
  if (template === undefined) {
    out.line(1, "<unset>")
    return
  }
  const { metadata, spec } = template
  writeLabels(out, "Labels", metadata?.labels, INDENT)
  if (Object.keys(metadata?.annotations ?? {}).length > 0)
    writeAnnotations(out, `${INDENT}Annotations`, metadata?.annotations)
  if (spec?.serviceAccountName) out.line(1, "Service Account:", spec.serviceAccountName)
  if (spec?.initContainers?.length) writeContainers(out, "Init Containers", spec.initContainers, undefined, INDENT)
  writeContainers(out, "Containers", spec?.containers ?? [], undefined, INDENT)
  writeVolumes(out, spec?.volumes, INDENT)
  if (spec?.priorityClassName) out.line(1, "Priority Class Name:", spec.priorityClassName)
  writeLabels(out, "Node-Selectors", spec?.nodeSelector, INDENT)
  writeList(out, `${INDENT}Tolerations`, tolerationTexts(spec?.tolerations))
}

const writeConditions = (
  out: Writer,
  conditions: ReadonlyArray<{ type: string; status: string; reason?: string }> | undefined
): void => {
  if (conditions === undefined || conditions.length === 0) return
  out.line(0, "Conditions:").line(1, "Type", "Status", "Reason").line(1, "----", "------", "------")
  for (const { reason = "", status, type } of conditions) out.line(1, `${type} `, status, reason)
}

/** Returns the ReplicaSets of a Deployment: the one of the current template, and the older ones. */
export interface DeploymentSets {
  readonly old: ReadonlyArray<ReplicaSet>
  readonly current: ReplicaSet | undefined
}

const setText = ({ metadata, spec, status }: ReplicaSet): string =>
  `${metadata.name ?? ""} (${status?.replicas ?? 0}/${spec.replicas ?? 1} replicas created)`

/** Upstream: kubectl/pkg/describe/describe.go, describeDeployment. */
export const describeDeployment = (
  deployment: Deployment,
  sets: DeploymentSets,
  events: Events,
  nowMs: number
): string => {
  const out = new Writer()
  const { metadata, spec, status } = deployment
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  out.line(0, "CreationTimestamp:", longTime(metadata.creationTimestamp))
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "Selector:", formatLabelSelector(spec.selector))
  const { availableReplicas = 0, replicas = 0, unavailableReplicas = 0, updatedReplicas = 0 } = status ?? {}
  const counts = [
    `${spec.replicas ?? 1} desired`,
    `${updatedReplicas} updated`,
    `${replicas} total`,
    `${availableReplicas} available`,
    `${unavailableReplicas} unavailable`
  ]
  out.line(0, "Replicas:", counts.join(" | "))
  out.line(0, "StrategyType:", spec.strategy?.type ?? "")
  out.line(0, "MinReadySeconds:", spec.minReadySeconds ?? 0)
  const rolling = spec.strategy?.rollingUpdate
  if (rolling !== undefined) {
    out.line(
      0,
      "RollingUpdateStrategy:",
      `${rolling.maxUnavailable ?? ""} max unavailable, ${rolling.maxSurge ?? ""} max surge`
    )
  }
  writeTemplate(out, spec.template)
  writeConditions(out, status?.conditions)
  out.line(0, "OldReplicaSets:", sets.old.map(setText).join(", ") || "<none>")
  out.line(0, "NewReplicaSet:", sets.current === undefined ? "<none>" : setText(sets.current))
  writeEvents(out, events, nowMs)
  return out.text
}

const phasesOf = (pods: ReadonlyArray<Pod>): string => {
  const count = (phase: string) => pods.filter(({ status }) => status?.phase === phase).length
  return `${count("Running")} Running / ${count("Pending")} Waiting / ${count("Succeeded")} Succeeded / ${count("Failed")} Failed`
}

/** Upstream: describeReplicaSet. */
export const describeReplicaSet = (
  set: ReplicaSet,
  pods: ReadonlyArray<Pod>,
  events: Events,
  nowMs: number
): string => {
  const out = new Writer()
  const { metadata, spec, status } = set
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  out.line(0, "Selector:", formatLabelSelector(spec.selector))
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  const controller = controllerText(set)
  if (controller !== undefined) out.line(0, "Controlled By:", controller)
  out.line(0, "Replicas:", `${status?.replicas ?? 0} current / ${spec.replicas ?? 1} desired`)
  out.line(0, "Pods Status:", phasesOf(pods))
  writeTemplate(out, spec.template)
  writeConditions(out, status?.conditions)
  writeEvents(out, events, nowMs)
  return out.text
}
