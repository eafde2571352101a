import { type FeatureGate, gateState, type Release } from "@rollcall/api"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { criticalField, listField, type ShutdownFinding, secondsText, totalField } from "./Finding.ts"

const SECOND_MS = 1000

const gateOffFinding = (subject: string, gate: FeatureGate, release: Release | undefined): ShutdownFinding => ({
  severity: "error",
  code: "gate-off",
  subject,
  message:
    release !== undefined && gateState(release, gate) === undefined
      ? `Kubernetes ${release.name} has no feature gate ${gate} yet: it does not support ${subject}.`
      : `${subject} needs the feature gate ${gate}, which is off.`
})

const belowOneSecondFinding = (subject: string, ms: number): ShutdownFinding => ({
  severity: "error",
  code: "below-one-second",
  subject,
  message: `${subject} is ${secondsText(ms)}: it must be 0 or at least one second.`
})

/** Returns why a kubelet refuses to start: one finding for each message of `validateShutdownConfig`, in other words. */
export const refusalFindings = (
  config: ShutdownConfig,
  release: Release | undefined
): ReadonlyArray<ShutdownFinding> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  const totalMs = config.shutdownGracePeriodMs
  const criticalMs = config.shutdownGracePeriodCriticalPodsMs
  const isTotalOrCriticalSet = totalMs > 0 || criticalMs > 0
  const findings: Array<ShutdownFinding> = []
  if (featureGates.GracefulNodeShutdown) {
    if (criticalMs > totalMs) {
      findings.push({
        severity: "error",
        code: "critical-exceeds-total",
        subject: criticalField,
        message:
          `${criticalField} (${secondsText(criticalMs)}) is part of ${totalField} (${secondsText(totalMs)}), ` +
          "not added to it: it cannot be larger."
      })
    }
    for (const [subject, ms] of [[totalField, totalMs] as const, [criticalField, criticalMs] as const]) {
      if (ms < 0 || (ms > 0 && ms < SECOND_MS)) findings.push(belowOneSecondFinding(subject, ms))
    }
  } else if (isTotalOrCriticalSet) findings.push(gateOffFinding(totalField, "GracefulNodeShutdown", release))
  if (list.length === 0) return findings
  if (!featureGates.GracefulNodeShutdownBasedOnPodPriority) {
    findings.push(gateOffFinding(listField, "GracefulNodeShutdownBasedOnPodPriority", release))
  } else if (isTotalOrCriticalSet) {
    findings.push({
      severity: "error",
      code: "both-given",
      subject: listField,
      message:
        `${listField} and ${totalField} set the same thing in two ways: the kubelet accepts only one of them. ` +
        `Leave out ${totalField} and ${criticalField}.`
    })
  }
  return findings
}
