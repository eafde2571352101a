import type { LevelVersion, Mode } from "@rollcall/pod-security"
import { counter, type SeriesMap, type Value } from "@rollcall/time"
import type { AdmissionAttributes } from "../../core/admission/Admission.ts"
import type { ServerMetrics } from "../../core/metrics/ServerMetrics.ts"

const requestLabels = ["request_operation", "resource", "subresource"] as const

/** Upstream: k8s.io/pod-security-admission/metrics/metrics.go. */
export const podSecurityFamilies = {
  evaluations: counter(
    "pod_security_evaluations_total",
    "ALPHA",
    "Evaluations of pods by the Pod Security Standards, by decision, level, version and mode.",
    ["decision", "policy_level", "policy_version", "mode", ...requestLabels]
  ),
  exemptions: counter(
    "pod_security_exemptions_total",
    "ALPHA",
    "Requests that are exempt from the Pod Security Standards.",
    requestLabels
  ),
  errors: counter(
    "pod_security_errors_total",
    "ALPHA",
    "Errors that prevented a normal evaluation by the Pod Security Standards. After one that is not fatal, the level is restricted.",
    ["fatal", ...requestLabels]
  )
}

type Labels<Family> = Family extends { readonly labels: ReadonlyArray<infer Label extends string> } ? Label : never

interface Series {
  readonly evaluations: SeriesMap<Labels<typeof podSecurityFamilies.evaluations>, Value>
  readonly exemptions: SeriesMap<Labels<typeof podSecurityFamilies.exemptions>, Value>
  readonly errors: SeriesMap<Labels<typeof podSecurityFamilies.errors>, Value>
}

type Request = Pick<AdmissionAttributes, "kind" | "subresource" | "verb">

const labelsOf = ({ kind, subresource, verb }: Request) => ({
  request_operation: verb,
  resource: kind === "Pod" ? "pod" : "controller",
  subresource: subresource ?? ""
})

const privileged = { decision: "allow", policy_level: "privileged", policy_version: "latest", mode: "enforce" } as const

/** Counts evaluations, in a server that measures its work. */
export class PodSecurityMetrics {
  private readonly series: Series | undefined
  private readonly ofPods: Readonly<Record<"create" | "update", Value | undefined>>

  constructor(metrics: ServerMetrics | undefined) {
    this.series = metrics && {
      evaluations: metrics.set.values(podSecurityFamilies.evaluations),
      exemptions: metrics.set.values(podSecurityFamilies.exemptions),
      errors: metrics.set.values(podSecurityFamilies.errors)
    }
    const ofPod = (verb: "create" | "update") =>
      this.series?.evaluations.with({ ...privileged, ...labelsOf({ kind: "Pod", subresource: undefined, verb }) })
    this.ofPods = { create: ofPod("create"), update: ofPod("update") }
    for (const kind of ["Pod", "Deployment"] as const) {
      for (const verb of ["create", "update"] as const) {
        this.series?.exemptions.with(labelsOf({ kind, subresource: undefined, verb }))
      }
    }
  }

  /** Counts a pod of a namespace in which everything is allowed. */
  privileged(request: Request): void {
    const { subresource, verb } = request
    if (subresource === undefined && (verb === "create" || verb === "update")) this.ofPods[verb]?.add()
    else this.series?.evaluations.with({ ...privileged, ...labelsOf(request) }).add()
  }

  /** Counts an evaluation. The version is `future` if the server does not know it yet. */
  evaluated(
    decision: "allow" | "deny",
    { level, version }: Pick<LevelVersion, "level"> & { readonly version: string },
    mode: Mode,
    request: Request
  ): void {
    const policy_version = level === "privileged" ? "latest" : version
    const labels = { decision, policy_level: level, policy_version, mode, ...labelsOf(request) }
    this.series?.evaluations.with(labels).add()
  }

  exempted(request: Request): void {
    this.series?.exemptions.with(labelsOf(request)).add()
  }

  failed(isFatal: boolean, request: Request): void {
    this.series?.errors.with({ fatal: String(isFatal), ...labelsOf(request) }).add()
  }
}
