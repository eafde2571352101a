import { annotationConfigMirror, annotationConfigSource, type Pod, systemCriticalPriority } from "@rollcall/api"
import type { PlannedPod, ShutdownPhase, ShutdownPlan } from "../plan/planShutdown.ts"
import { each, podCount, podName, type ShutdownFinding } from "./Finding.ts"

const names = (pods: ReadonlyArray<PlannedPod>): ReadonlyArray<string> => pods.map(({ pod }) => podName(pod))

const bucketOf = ({ priority }: ShutdownPhase): string => `bucket ${priority}`

const ownGrace = ({ metadata, spec }: Pod): number =>
  metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0

const longest = (pods: ReadonlyArray<PlannedPod>): number => Math.max(...pods.map(({ pod }) => ownGrace(pod)))

const empty = (phase: ShutdownPhase): ReadonlyArray<ShutdownFinding> =>
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
 * Pods whose own grace period exceeds the bucket's; pods that exceed even the whole shutdown get a finding of their
 * own.
 */
const short = (phase: ShutdownPhase, plan: ShutdownPlan): ReadonlyArray<ShutdownFinding> => {
  const seconds = phase.shutdownGracePeriodSeconds
  // bucketFindings already reports a bucket without seconds.
  if (seconds <= 0) return []
  const cut = phase.pods.filter(({ cutShort }) => cutShort)
  const tooLong = cut.filter(({ pod }) => ownGrace(pod) > plan.delaySeconds)
  const others = cut.filter((pod) => !tooLong.includes(pod))
  const findings: Array<ShutdownFinding> = []
  if (others.length > 0) {
    findings.push({
      severity: "warning",
      code: "bucket-too-short",
      subject: bucketOf(phase),
      message:
        `${podCount(others.length)} of this bucket ${each(others.length, "has", "have")} a terminationGracePeriodSeconds of more ` +
        `than its ${seconds}s, up to ${longest(others)}s: killed after ${seconds}s. The bucket would have to have ` +
        `${longest(others)}s.`,
      pods: names(others)
    })
  }
  if (tooLong.length > 0) {
    findings.push({
      severity: "warning",
      code: "longer-than-shutdown",
      subject: bucketOf(phase),
      message:
        `${podCount(tooLong.length)} of this bucket ${each(tooLong.length, "wants", "want")} up to ${longest(tooLong)}s to end ` +
        `(terminationGracePeriodSeconds), more than the ${plan.delaySeconds}s that the whole shutdown may take: killed after ` +
        `${seconds}s. Drain the node before you shut it down, if that matters.`,
      pods: names(tooLong)
    })
  }
  return findings
}

/** Pods by priority, ascending. */
const byPriority = (pods: ReadonlyArray<PlannedPod>): ReadonlyArray<readonly [number, ReadonlyArray<PlannedPod>]> =>
  [...new Set(pods.map(({ priority }) => priority))]
    .toSorted((left, right) => left - right)
    .map((priority) => [priority, pods.filter((pod) => pod.priority === priority)])

const isCritical = (priority: number): boolean => priority >= systemCriticalPriority

/** Pods whose priority the list of buckets does not contain. */
const gaps = (phase: ShutdownPhase): ReadonlyArray<ShutdownFinding> => {
  const findings: Array<ShutdownFinding> = []
  for (const [priority, pods] of byPriority(phase.pods)) {
    if (priority === phase.priority || isCritical(priority)) continue
    const are = `${podCount(pods.length)} of priority ${priority} ${each(pods.length, "falls", "fall")}`
    const which = `the bucket of ${phase.priority}, with ${phase.shutdownGracePeriodSeconds}s`
    const below = priority < phase.priority
    findings.push({
      severity: "info",
      code: below ? "below-lowest-bucket" : "gap",
      subject: bucketOf(phase),
      message: below
        ? `${are} below all buckets, and so into the lowest: ${which}.`
        : `No bucket is of priority ${priority}: ${are} into the next lower one, ${which}.`,
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
      `${each(critical.length, "is", "are")} killed in the bucket of ${phase.priority}, with ${phase.shutdownGracePeriodSeconds}s` +
      (others > 0
        ? `, at the same time as ${podCount(others)} that may need ${each(critical.length, "it", "them")}.`
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

const statics = (phase: ShutdownPhase, index: number): ReadonlyArray<ShutdownFinding> => {
  const findings: Array<ShutdownFinding> = []
  const bare = phase.pods.filter(({ pod }) => isStatic(pod) && pod.spec.priority === undefined)
  if (bare.length > 0) {
    findings.push({
      severity: "warning",
      code: "static-without-priority",
      subject: bucketOf(phase),
      message:
        `${podCount(bare.length)} of this bucket ${each(bare.length, "is static and has", "are static and have")} no spec.priority. ` +
        `At a shutdown only the priority counts, not that a pod is static: ${each(bare.length, "it dies", "they die")} ` +
        `${index === 0 ? "first, " : ""}with the pods of priority 0. Set spec.priority in the manifest.`,
      pods: names(bare)
    })
  }
  const classed = phase.pods.filter(({ pod, priority }) => isMirror(pod) && priority > 0)
  if (classed.length > 0) {
    findings.push({
      severity: "info",
      code: "mirror-priority",
      subject: bucketOf(phase),
      message:
        `${podCount(classed.length)} of this bucket ${each(classed.length, "is a mirror pod", "are mirror pods")}: the API filled in ` +
        "the priority from the class. The kubelet uses the manifest's priority: with only a priorityClassName and no priority there, " +
        "the pod counts as 0.",
      pods: names(classed)
    })
  }
  return findings
}

/** Findings about the pods in their buckets. */
export const podFindings = (plan: ShutdownPlan, byList: boolean): ReadonlyArray<ShutdownFinding> =>
  plan.phases.flatMap((phase, index) => [
    ...empty(phase),
    ...short(phase, plan),
    ...(byList ? gaps(phase) : []),
    ...statics(phase, index)
  ])
