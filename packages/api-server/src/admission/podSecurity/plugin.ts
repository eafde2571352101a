import { defaultRelease, type Release } from "@rollcall/api"
import type { Configuration } from "@rollcall/pod-security"
import type { Steps } from "@rollcall/time"
import { lazily } from "@rollcall/time"
import type { AdmissionAttributes, AdmissionContext, ChainPlugin } from "../../core/admission/Admission.ts"
import type { DynamicAdmissionSource } from "../../core/ports/DynamicAdmission.ts"
import type { Response } from "./decide.ts"
import { PodSecurityMetrics } from "./PodSecurityMetrics.ts"

export interface PodSecurityOptions {
  /** The defaults and exemptions of all namespaces; without it nothing is forbidden but by labels. */
  readonly podSecurity?: Configuration
  /** Whose Pod Security Standards apply. Default: those of the newest release. */
  readonly release?: Pick<Release, "podSecurityMinor">
}

const PREFIX = "pod-security.kubernetes.io/"

const workloads: ReadonlySet<string> = new Set([
  "CronJob",
  "DaemonSet",
  "Deployment",
  "Job",
  "PodTemplate",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet"
])

/** The subresources of pods that can change their containers. */
const ofPods: ReadonlyArray<string | undefined> = [undefined, "ephemeralcontainers", "resize"]

const load = lazily(() => import("./decideInSteps.ts"))

/**
 * Applies the Pod Security Standards to pods by the labels of their namespaces. The checks load when a label or a
 * configuration first asks for them. Upstream: plugin/pkg/admission/security/podsecurity.
 */
export const podSecurity = (
  { podSecurity: configured, release = defaultRelease }: PodSecurityOptions,
  source: DynamicAdmissionSource
): ReadonlyArray<ChainPlugin> => {
  const minor = release.podSecurityMinor
  if (minor === undefined) return []
  const metrics = new PodSecurityMetrics(source.metrics)
  const now = source.metrics?.now ?? source.timers.now
  const rules = { minor, metrics, now, ...(configured === undefined ? {} : { configuration: configured }) }
  const decidedInSteps = function* (attributes: AdmissionAttributes, { reader }: AdmissionContext): Steps<Response> {
    const { decideInSteps } = yield* load()
    return yield* decideInSteps({ ...rules, reader }, attributes)
  }
  return [
    {
      name: "PodSecurity",
      admits: (kind, verb, subresource) => {
        if (verb === "delete") return false
        if (kind === "Pod") return ofPods.includes(subresource)
        return subresource === undefined && (kind === "Namespace" || workloads.has(kind))
      },
      validate: (attributes, context) => {
        if (configured === undefined && !isLabelled(attributes, context)) {
          if (attributes.kind !== "Pod") return undefined
          metrics.privileged(attributes)
          attributes.exchange?.annotate(`${PREFIX}enforce-policy`, "privileged:latest")
          return undefined
        }
        return answeredInSteps(attributes, decidedInSteps(attributes, context))
      }
    }
  ]
}

const answeredInSteps = function* ({ exchange }: AdmissionAttributes, steps: Steps<Response>) {
  const { annotations = {}, refusal, warnings = [] } = yield* steps
  for (const warning of warnings) exchange?.warn(warning)
  for (const [key, value] of Object.entries(annotations)) exchange?.annotate(`${PREFIX}${key}`, value)
  return refusal
}

/** Whether labels ask for a level: those of the written namespace, or of that of the object. */
const isLabelled = ({ kind, namespace, object, oldObject }: AdmissionAttributes, { reader }: AdmissionContext) => {
  if (kind === "Namespace") return hasLabel(object?.metadata.labels) || hasLabel(oldObject?.metadata.labels)
  const found = reader.get("Namespace", "", namespace)
  return found === undefined || hasLabel(found.metadata.labels)
}

const hasLabel = (labels: Readonly<Record<string, string>> | undefined): boolean => {
  for (const label in labels) if (label.startsWith(PREFIX)) return true
  return false
}
