import { type FeatureGate, gateState, type Release } from "@rollcall/api"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { criticalField, listField, plainField, type ShutdownFinding, secondsText } from "./Finding.ts"

const SECOND_MS = 1000

const gateOff = (subject: string, gate: FeatureGate, release: Release | undefined): ShutdownFinding => ({
  severity: "error",
  code: "gate-off",
  subject,
  message:
    release !== undefined && gateState(release, gate) === undefined
      ? `Kubernetes ${release.name} has no feature gate ${gate} yet: it does not support ${subject}.`
      : `${subject} needs the feature gate ${gate}, which is off.`
})

const belowOneSecond = (subject: string, ms: number): ShutdownFinding => ({
  severity: "error",
  code: "below-one-second",
  subject,
  message: `${subject} is ${secondsText(ms)}: it must be 0 or at least one second.`
})

/** Why a kubelet refuses to start. Follows `validateShutdownConfig`: one finding for each of its messages. */
export const refusals = (config: ShutdownConfig, release: Release | undefined): ReadonlyArray<ShutdownFinding> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  const totalMs = config.shutdownGracePeriodMs
  const criticalMs = config.shutdownGracePeriodCriticalPodsMs
  const anyPlain = totalMs > 0 || criticalMs > 0
  const findings: Array<ShutdownFinding> = []
  if (featureGates.GracefulNodeShutdown) {
    if (criticalMs > totalMs) {
      findings.push({
        severity: "error",
        code: "critical-exceeds-total",
        subject: criticalField,
        message:
          `${criticalField} (${secondsText(criticalMs)}) is part of ${plainField} (${secondsText(totalMs)}), ` +
          "not added to it: it cannot be larger."
      })
    }
    for (const [subject, ms] of [[plainField, totalMs] as const, [criticalField, criticalMs] as const]) {
      if (ms < 0 || (ms > 0 && ms < SECOND_MS)) findings.push(belowOneSecond(subject, ms))
    }
  } else if (anyPlain) findings.push(gateOff(plainField, "GracefulNodeShutdown", release))
  if (list.length === 0) return findings
  if (!featureGates.GracefulNodeShutdownBasedOnPodPriority) {
    findings.push(gateOff(listField, "GracefulNodeShutdownBasedOnPodPriority", release))
  } else if (anyPlain) {
    findings.push({
      severity: "error",
      code: "both-given",
      subject: listField,
      message:
        `${listField} and ${plainField} set the same thing in two ways: the kubelet accepts only one of them. ` +
        `Leave out ${plainField} and ${criticalField}.`
    })
  }
  return findings
}
