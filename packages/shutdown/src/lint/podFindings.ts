import { annotationConfigMirror, annotationConfigSource, type Pod, systemCriticalPriority } from "@rollcall/api"
import type { PlannedPod, ShutdownPhase, ShutdownPlan } from "../plan/planShutdown.ts"
import { podCount, podName, type ShutdownFinding, singularOrPlural } from "./Finding.ts"

const names = (pods: ReadonlyArray<PlannedPod<Pod>>): ReadonlyArray<string> => pods.map(({ pod }) => podName(pod))

const bucketOf = ({ priority }: ShutdownPhase<Pod>): string => `bucket ${priority}`

/** A pod's own grace period in seconds. */
const ownGrace = ({ metadata, spec }: Pod): number =>
  Number(metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0)

const longestGrace = (pods: ReadonlyArray<PlannedPod<Pod>>): number => Math.max(...pods.map(({ pod }) => ownGrace(pod)))

/** Finds a bucket without pods. */
const emptyBucketFindings = (phase: ShutdownPhase<Pod>): ReadonlyArray<ShutdownFinding> =>
  phase.pods.length > 0
    ? []
    : [
        {
          severity: "info",
          code: "empty-bucket",
          subject: bucketOf(phase),
          message:
            `No pod is in this bucket. It takes no time at a shutdown; its ${phase.shutdownGracePeriodSeconds}s only add to the ` +
            "delay requested from logind."
        }
      ]

/**
 * Finds pods whose own grace period exceeds the bucket's. Pods whose own exceeds even the whole shutdown get a finding
 * of their own.
 */
const shortBucketFindings = (phase: ShutdownPhase<Pod>, plan: ShutdownPlan<Pod>): ReadonlyArray<ShutdownFinding> => {
  const seconds = phase.shutdownGracePeriodSeconds
  // bucketFindings already reports a bucket without seconds.
  if (seconds <= 0) return []
  const cutShortPods = phase.pods.filter(({ cutShort }) => cutShort)
  const longerThanShutdown = cutShortPods.filter(({ pod }) => ownGrace(pod) > plan.delaySeconds)
  const longerThanBucket = cutShortPods.filter((pod) => !longerThanShutdown.includes(pod))
  const findings: Array<ShutdownFinding> = []
  if (longerThanBucket.length > 0) {
    findings.push({
      severity: "warning",
      code: "bucket-too-short",
      subject: bucketOf(phase),
      message:
        `${podCount(longerThanBucket.length)} of this bucket ${singularOrPlural(longerThanBucket.length, "has", "have")} a terminationGracePeriodSeconds of more ` +
        `than its ${seconds}s, up to ${longestGrace(longerThanBucket)}s: killed after ${seconds}s. The bucket would have to have ` +
        `${longestGrace(longerThanBucket)}s.`,
      pods: names(longerThanBucket)
    })
  }
  if (longerThanShutdown.length > 0) {
    findings.push({
      severity: "warning",
      code: "longer-than-shutdown",
      subject: bucketOf(phase),
      message:
        `${podCount(longerThanShutdown.length)} of this bucket ${singularOrPlural(longerThanShutdown.length, "wants", "want")} up to ${longestGrace(longerThanShutdown)}s to end ` +
        `(terminationGracePeriodSeconds), more than the ${plan.delaySeconds}s that the whole shutdown may take: killed after ` +
        `${seconds}s. Drain the node before you shut it down, if that matters.`,
      pods: names(longerThanShutdown)
    })
  }
  return findings
}

/** Groups pods by priority, ascending. */
const groupsByPriority = (
  pods: ReadonlyArray<PlannedPod<Pod>>
): ReadonlyArray<readonly [number, ReadonlyArray<PlannedPod<Pod>>]> =>
  [...new Set(pods.map(({ priority }) => priority))]
    .toSorted((left, right) => left - right)
    .map((priority) => [priority, pods.filter((pod) => pod.priority === priority)])

const isCritical = (priority: number): boolean => priority >= systemCriticalPriority

/** Finds pods whose priority no bucket has, and which fall into another one. */
const missingBucketFindings = (phase: ShutdownPhase<Pod>): ReadonlyArray<ShutdownFinding> => {
  const findings: Array<ShutdownFinding> = []
  for (const [priority, pods] of groupsByPriority(phase.pods)) {
    if (priority === phase.priority || isCritical(priority)) continue
    const subjectText = `${podCount(pods.length)} of priority ${priority} ${singularOrPlural(pods.length, "falls", "fall")}`
    const bucketText = `the bucket of ${phase.priority}, with ${phase.shutdownGracePeriodSeconds}s`
    const below = priority < phase.priority
    findings.push({
      severity: "info",
      code: below ? "below-lowest-bucket" : "gap",
      subject: bucketOf(phase),
      message: below
        ? `${subjectText} below all buckets, and so into the lowest: ${bucketText}.`
        : `No bucket is of priority ${priority}: ${subjectText} into the next lower one, ${bucketText}.`,
      pods: names(pods)
    })
  }
  const critical = phase.pods.filter(({ priority }) => isCritical(priority))
  if (critical.length === 0 || isCritical(phase.priority)) return findings
  const others = phase.pods.length - critical.length
  findings.push({
    severity: others > 0 ? "warning" : "info",
    code: others > 0 ? "critical-shares-bucket" : "gap",
    subject: bucketOf(phase),
    message:
      `No bucket is for system-critical pods (priority ${systemCriticalPriority} and above): ${podCount(critical.length)} of them ` +
      `${singularOrPlural(critical.length, "is", "are")} killed in the bucket of ${phase.priority}, with ${phase.shutdownGracePeriodSeconds}s` +
      (others > 0
        ? `, at the same time as ${podCount(others)} that may need ${singularOrPlural(critical.length, "it", "them")}.`
        : "."),
    pods: names(critical)
  })
  return findings
}

const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[annotationConfigMirror] !== undefined

const isStatic = (pod: Pod): boolean => {
  const source = pod.metadata.annotations?.[annotationConfigSource]
  return isMirror(pod) || (source !== undefined && source !== "api")
}

/** Finds static pods without a priority, and mirror pods whose priority the kubelet may not use. */
const staticPodFindings = (phase: ShutdownPhase<Pod>, index: number): ReadonlyArray<ShutdownFinding> => {
  const findings: Array<ShutdownFinding> = []
  const withoutPriority = phase.pods.filter(({ pod }) => isStatic(pod) && pod.spec.priority === undefined)
  if (withoutPriority.length > 0) {
    findings.push({
      severity: "warning",
      code: "static-without-priority",
      subject: bucketOf(phase),
      message:
        `${podCount(withoutPriority.length)} of this bucket ${singularOrPlural(withoutPriority.length, "is static and has", "are static and have")} no spec.priority. ` +
        `At a shutdown only the priority counts, not that a pod is static: ${singularOrPlural(withoutPriority.length, "it dies", "they die")} ` +
        `${index === 0 ? "first, " : ""}with the pods of priority 0. Set spec.priority in the manifest.`,
      pods: names(withoutPriority)
    })
  }
  const mirrorsWithPriority = phase.pods.filter(({ pod, priority }) => isMirror(pod) && priority > 0)
  if (mirrorsWithPriority.length > 0) {
    findings.push({
      severity: "info",
      code: "mirror-priority",
      subject: bucketOf(phase),
      message:
        `${podCount(mirrorsWithPriority.length)} of this bucket ${singularOrPlural(mirrorsWithPriority.length, "is a mirror pod", "are mirror pods")}: the API filled in ` +
        "the priority from the class. The kubelet uses the manifest's priority: with only a priorityClassName and no priority there, " +
        "the pod counts as 0.",
      pods: names(mirrorsWithPriority)
    })
  }
  return findings
}

/** Returns the findings about the pods in their buckets. `byList`: whether the buckets are configured as a list. */
export const podFindings = (plan: ShutdownPlan<Pod>, byList: boolean): ReadonlyArray<ShutdownFinding> =>
  plan.phases.flatMap((phase, index) => [
    ...emptyBucketFindings(phase),
    ...shortBucketFindings(phase, plan),
    ...(byList ? missingBucketFindings(phase) : []),
    ...staticPodFindings(phase, index)
  ])
