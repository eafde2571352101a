import {
  type Event,
  formatQuantity,
  goQuote,
  type HorizontalPodAutoscaler,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type ScalingRules
} from "@rollcall/api"
import { writeAnnotations, writeEvents, writeLabels } from "./parts.ts"
import { longTime, Writer } from "./Writer.ts"

const unknown = "<unknown>"
const amountText = (amount: string | number | undefined): string => formatQuantity(amount ?? 0)

type Current = NonNullable<MetricStatus["resource"]>["current"] | undefined

const writeResource = (out: Writer, what: string, target: MetricTarget, current: Current): void => {
  if (target.averageValue !== undefined) {
    const shown = current === undefined ? unknown : amountText(current.averageValue)
    out.write(1, `${what}:\t${shown} / ${amountText(target.averageValue)}\n`)
    return
  }
  const { averageUtilization, averageValue } = current ?? {}
  const shown = averageUtilization === undefined ? unknown : `${averageUtilization}% (${amountText(averageValue)})`
  const wanted = target.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`
  out.write(1, `${what}  (as a percentage of request):\t${shown} / ${wanted}\n`)
}

const writeMetric = (out: Writer, spec: MetricSpec, status: MetricStatus | undefined): void => {
  const { containerResource, external, object, pods, resource, type } = spec
  if (type === "External" && external !== undefined) {
    const { metric, target } = external
    const current = status?.external?.current
    const isAverage = target.averageValue !== undefined
    const amount = isAverage ? current?.averageValue : current?.value
    const shown = current === undefined || (isAverage && amount === undefined) ? unknown : amountText(amount)
    const wanted = amountText(isAverage ? target.averageValue : target.value)
    out.write(1, `${goQuote(metric.name)} (target ${isAverage ? "average " : ""}value):\t${shown} / ${wanted}\n`)
  } else if (type === "Pods" && pods !== undefined) {
    const shown = status?.pods === undefined ? unknown : amountText(status.pods.current.averageValue)
    out.write(1, `${goQuote(pods.metric.name)} on pods:\t${shown} / ${amountText(pods.target.averageValue)}\n`)
  } else if (type === "Object" && object !== undefined) {
    const { describedObject, metric, target } = object
    const isAverage = target.type === "AverageValue"
    const current = status?.object?.current
    const shown = current === undefined ? unknown : amountText(isAverage ? current.averageValue : current.value)
    const wanted = amountText(isAverage ? target.averageValue : target.value)
    const what = `"${metric.name}" on ${describedObject.kind}/${describedObject.name}`
    out.write(1, `${what} (target ${isAverage ? "average " : ""}value):\t${shown} / ${wanted}\n`)
  } else if (type === "Resource" && resource !== undefined) {
    writeResource(out, `resource ${resource.name} on pods`, resource.target, status?.resource?.current)
  } else if (type === "ContainerResource" && containerResource !== undefined) {
    const { container, name, target } = containerResource
    const what = `resource ${name} of container "${container}" on pods`
    writeResource(out, what, target, status?.containerResource?.current)
  } else out.write(1, `<unknown metric type ${goQuote(type)}>\n`)
}

const writeRules = (out: Writer, direction: string, rules: ScalingRules | undefined): void => {
  if (rules === undefined) return
  const { policies = [], selectPolicy = "Max", stabilizationWindowSeconds: window } = rules
  out.write(1, `${direction}:\n`)
  if (window !== undefined) out.write(2, `Stabilization Window: ${window} seconds\n`)
  if (policies.length === 0) return
  out.write(2, `Select Policy: ${selectPolicy}\n`).write(2, "Policies:\n")
  for (const { periodSeconds, type, value } of policies) {
    out.write(3, `- Type: ${type}\tValue: ${value}\tPeriod: ${periodSeconds} seconds\n`)
  }
}

/** Upstream: kubectl/pkg/describe/describe.go, describeHorizontalPodAutoscalerV2. */
export const describeAutoscaler = (
  autoscaler: HorizontalPodAutoscaler,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
): string => {
  const out = new Writer()
  const { metadata, spec, status } = autoscaler
  const { behavior, maxReplicas, metrics = [], minReplicas, scaleTargetRef } = spec
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "CreationTimestamp:", longTime(metadata.creationTimestamp))
  out.line(0, "Reference:", `${scaleTargetRef.kind}/${scaleTargetRef.name}`)
  out.line(0, "Metrics:", "( current / target )")
  for (const [index, metric] of metrics.entries()) writeMetric(out, metric, status?.currentMetrics?.[index])
  out.line(0, "Min replicas:", minReplicas === undefined ? "<unset>" : String(minReplicas))
  out.line(0, "Max replicas:", String(maxReplicas))
  if (behavior !== undefined) {
    out.write(0, "Behavior:\n")
    writeRules(out, "Scale Up", behavior.scaleUp)
    writeRules(out, "Scale Down", behavior.scaleDown)
  }
  const counts = `${status?.currentReplicas ?? 0} current / ${status?.desiredReplicas ?? 0} desired`
  out.line(0, `${scaleTargetRef.kind} pods:`, counts)
  const conditions = status?.conditions ?? []
  if (conditions.length > 0) {
    out
      .write(0, "Conditions:\n")
      .write(1, "Type\tStatus\tReason\tMessage\n")
      .write(1, "----\t------\t------\t-------\n")
    for (const { message = "", reason = "", status: state, type } of conditions) {
      out.write(1, `${type}\t${state}\t${reason}\t${message}\n`)
    }
  }
  writeEvents(out, events, nowMs)
  return out.text
}
