import {
  formatQuantity,
  type HorizontalPodAutoscaler,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget
} from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

/** Go prints an absent quantity as zero. */
const amountText = (amount: string | number | undefined): string => formatQuantity(amount ?? 0)

const unknown = "<unknown>"

type Current = NonNullable<MetricStatus["resource"]>["current"] | undefined

const ofResource = (name: string, target: MetricTarget, current: Current): string => {
  if (target.averageValue !== undefined) {
    const shown = current === undefined ? unknown : amountText(current.averageValue)
    return `${name}: ${shown}/${amountText(target.averageValue)}`
  }
  const shown = current?.averageUtilization === undefined ? unknown : `${current.averageUtilization}%`
  return `${name}: ${shown}/${target.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`}`
}

const ofValue = (target: MetricTarget, current: Current): string => {
  if (target.averageValue !== undefined) {
    const shown = current?.averageValue === undefined ? unknown : amountText(current.averageValue)
    return `${shown}/${amountText(target.averageValue)} (avg)`
  }
  return `${current === undefined ? unknown : amountText(current.value)}/${amountText(target.value)}`
}

const metricText = (spec: MetricSpec, status: MetricStatus | undefined): string => {
  const { containerResource, external, object, pods, resource, type } = spec
  if (type === "External" && external !== undefined) return ofValue(external.target, status?.external?.current)
  if (type === "Object" && object !== undefined) return ofValue(object.target, status?.object?.current)
  if (type === "Pods" && pods !== undefined) {
    const shown = status?.pods === undefined ? unknown : amountText(status.pods.current.averageValue)
    return `${shown}/${amountText(pods.target.averageValue)}`
  }
  if (type === "Resource" && resource !== undefined) {
    return ofResource(resource.name, resource.target, status?.resource?.current)
  }
  if (type === "ContainerResource" && containerResource !== undefined) {
    return ofResource(containerResource.name, containerResource.target, status?.containerResource?.current)
  }
  return "<unknown type>"
}

/** The number of metrics that a cell shows. */
const SHOWN = 2

const metricsText = ({ spec: { metrics = [] }, status }: HorizontalPodAutoscaler): string => {
  if (metrics.length === 0) return "<none>"
  const shown = metrics.slice(0, SHOWN).map((spec, index) => metricText(spec, status?.currentMetrics?.[index]))
  const more = metrics.length - shown.length
  return more > 0 ? `${shown.join(", ")} + ${more} more...` : shown.join(", ")
}

/** Upstream: pkg/printers/internalversion/printers.go, printHorizontalPodAutoscaler. */
export const autoscalers: Printer = printer<HorizontalPodAutoscaler>(
  nameColumn,
  column(
    "Reference",
    "string",
    "The workload that it scales.",
    ({ spec: { scaleTargetRef } }) => `${scaleTargetRef.kind}/${scaleTargetRef.name}`
  ),
  column("Targets", "string", "Its metrics: the present value and the target.", metricsText),
  column("MinPods", "string", "The lowest number of pods.", ({ spec }) =>
    spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas)
  ),
  column("MaxPods", "string", "The highest number of pods.", ({ spec }) => spec.maxReplicas),
  column("Replicas", "string", "How many pods there are.", ({ status }) => status?.currentReplicas ?? 0),
  ageColumn
)
