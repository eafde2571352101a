import { type Amount, type Pod, podLimits, podRequests } from "@rollcall/api"
import { expositionOf, gauge, MetricSet } from "@rollcall/time"
import type { Page } from "./HealthServer.ts"

/* Upstream: pkg/scheduler/metrics/resources/resources.go. */

const labels = ["namespace", "pod", "node", "scheduler", "priority", "resource", "unit"] as const

const families = {
  limits: gauge("kube_pod_resource_limit", "STABLE", "The limits of pods that have not ended, by resource.", [
    ...labels
  ]),
  requests: gauge("kube_pod_resource_request", "STABLE", "The requests of pods that have not ended, by resource.", [
    ...labels
  ])
}

const units: Readonly<Record<string, string>> = {
  cpu: "cores",
  memory: "bytes",
  storage: "bytes",
  "ephemeral-storage": "bytes"
}

const unitOf = (resource: string): string => {
  if (resource.startsWith("hugepages-")) return "bytes"
  return resource.startsWith("attachable-volumes-") ? "integer" : (units[resource] ?? "")
}

const numberOf = ({ scale, unscaled }: Amount): number => Number(`${unscaled}e${scale}`)

/** Whether a pod that was placed has ended. */
const hasEnded = ({ spec, status }: Pod): boolean =>
  !!spec.nodeName && (status?.phase === "Succeeded" || status?.phase === "Failed")

/** Returns the page `/metrics/resources` of a scheduler: what pods request, and their limits. */
export const podResourcesPage = (pods: ReadonlyArray<Pod>): Page => {
  const set = new MetricSet()
  for (const pod of pods) {
    if (hasEnded(pod)) continue
    const { name = "", namespace = "" } = pod.metadata
    const { nodeName: node = "", priority = "", schedulerName: scheduler = "" } = pod.spec
    const amounts = { requests: podRequests(pod), limits: podLimits(pod) }
    for (const kind of ["limits", "requests"] as const) {
      const values = set.values(families[kind])
      for (const [resource, amount] of Object.entries(amounts[kind])) {
        const value = numberOf(amount)
        const of = {
          namespace,
          pod: name,
          node,
          scheduler,
          priority: String(priority),
          resource,
          unit: unitOf(resource)
        }
        if (value !== 0) values.with(of).set(value)
      }
    }
  }
  const { body, type } = expositionOf(set.snapshot(), undefined)
  return { type, body: String(body) }
}
