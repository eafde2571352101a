import { systemCriticalPriority } from "@rollcall/api"
import type { ShutdownBucket, ShutdownConfig } from "../config/ShutdownConfig.ts"
import { delayRequested, shutdownBuckets } from "../config/shutdownBuckets.ts"
import { criticalField, listField, type ShutdownFinding, secondsText, totalField } from "./Finding.ts"

const notConfigured: ShutdownFinding = {
  severity: "warning",
  code: "nothing-configured",
  subject: totalField,
  message:
    `Neither ${totalField} nor ${listField} is set: the kubelet does not handle shutdowns. The machine powers off at once and its pods with it, ` +
    "and no pod status records it."
}

const zeroSecondsFinding = (bucket: ShutdownBucket): ShutdownFinding => ({
  severity: "warning",
  code: "no-time",
  subject: `bucket ${bucket.priority}`,
  message:
    `The bucket has ${bucket.shutdownGracePeriodSeconds} seconds: its pods are asked to stop and not waited for. ` +
    "The next phase begins at once."
})

/** Returns the findings about the settings for all and for critical pods, from which `buckets` were made. */
const twoSettingsFindings = (
  config: ShutdownConfig,
  buckets: ReadonlyArray<ShutdownBucket>
): Array<ShutdownFinding> => {
  const findings: Array<ShutdownFinding> = []
  const totalMs = config.shutdownGracePeriodMs
  const criticalMs = config.shutdownGracePeriodCriticalPodsMs
  const [normal, critical] = buckets.map((bucket) => bucket.shutdownGracePeriodSeconds)
  if (normal === undefined || critical === undefined) return findings
  if (criticalMs === 0) {
    findings.push({
      severity: "warning",
      code: "critical-zero",
      subject: criticalField,
      message:
        `${criticalField} is 0: pods of priority ${systemCriticalPriority} and above are asked to stop when all others are ` +
        "down, and not waited for. The machine goes down at once."
    })
  } else if (totalMs === criticalMs) {
    findings.push({
      severity: "warning",
      code: "normal-zero",
      subject: totalField,
      message:
        `${criticalField} takes all of ${totalField} (${secondsText(totalMs)}): ordinary pods are asked to stop and not ` +
        "waited for; critical ones follow at once."
    })
  }
  const sumMs = (normal + critical) * 1000
  if (sumMs !== totalMs) {
    findings.push({
      severity: "warning",
      code: "truncated-seconds",
      subject: totalField,
      message:
        `Each bucket is cut to whole seconds on its own: ${secondsText(totalMs - criticalMs)} become ${normal}s for ordinary ` +
        `pods, ${secondsText(criticalMs)} become ${critical}s for critical ones. ${secondsText(totalMs - sumMs)} of ` +
        `${totalField} are lost.`
    })
  }
  return findings
}

/** Whether the priorities ascend. */
const isSorted = (priorities: ReadonlyArray<number>): boolean =>
  priorities.every((priority, index) => priority >= (priorities[index - 1] ?? priority))

const duplicateFindings = (buckets: ReadonlyArray<ShutdownBucket>): Array<ShutdownFinding> => {
  const priorities = [...new Set(buckets.map(({ priority }) => priority))]
  return priorities.flatMap((priority) => {
    const same = buckets.filter((bucket) => bucket.priority === priority)
    const [first, ...others] = same
    const last = others.at(-1)
    if (first === undefined || last === undefined) return []
    return [
      {
        severity: "warning",
        code: "duplicate-priority",
        subject: `bucket ${priority}`,
        message:
          `${same.length} buckets have priority ${priority}. The first (${first.shutdownGracePeriodSeconds}s) gets the pods of ` +
          `exactly that priority, the last (${last.shutdownGracePeriodSeconds}s) those above it; which is the first is not ` +
          "defined, and their seconds are all added up."
      }
    ]
  })
}

/** Returns the findings about a list of buckets. */
const listFindings = (config: ShutdownConfig, buckets: ReadonlyArray<ShutdownBucket>): Array<ShutdownFinding> => {
  const configuredPriorities = config.shutdownGracePeriodByPodPriority.map(({ priority }) => priority)
  const findings: Array<ShutdownFinding> = []
  if (!isSorted(configuredPriorities) && !isSorted(configuredPriorities.toReversed())) {
    findings.push({
      severity: "info",
      code: "mixed-order",
      subject: listField,
      message:
        `The order of the list has no effect. The kubelet sorts it and kills in this order: ` +
        `${buckets.map(({ priority }) => priority).join(", ")}.`
    })
  }
  findings.push(...duplicateFindings(buckets))
  for (const bucket of buckets) if (bucket.shutdownGracePeriodSeconds <= 0) findings.push(zeroSecondsFinding(bucket))
  return findings
}

/** Returns the findings about the buckets themselves, regardless of the pods in them. */
export const bucketFindings = (config: ShutdownConfig): ReadonlyArray<ShutdownFinding> => {
  const buckets = shutdownBuckets(config)
  if (buckets.length === 0) return [notConfigured]
  const byPriority =
    config.featureGates.GracefulNodeShutdownBasedOnPodPriority && config.shutdownGracePeriodByPodPriority.length > 0
  return byPriority ? listFindings(config, buckets) : twoSettingsFindings(config, buckets)
}

/** The limit that distributions often set, in seconds. */
const LONG_SECONDS = 30

/** Returns the findings about the delay that logind must allow. */
export const logindFindings = (config: ShutdownConfig, inhibitDelaySeconds: number): ReadonlyArray<ShutdownFinding> => {
  const neededSeconds = delayRequested(shutdownBuckets(config))
  if (neededSeconds <= inhibitDelaySeconds) return []
  const override: ShutdownFinding = {
    severity: "info",
    code: "logind-override",
    subject: "logind",
    message:
      `logind holds a shutdown back for ${inhibitDelaySeconds}s at most (InhibitDelayMaxSec), ${neededSeconds}s are needed. The kubelet ` +
      `writes InhibitDelayMaxSec=${neededSeconds} to /etc/systemd/logind.conf.d/99-kubelet.conf when it starts, and makes logind reload it.`
  }
  if (neededSeconds <= LONG_SECONDS) return [override]
  return [
    override,
    {
      severity: "warning",
      code: "logind-long-delay",
      subject: "logind",
      message:
        `${neededSeconds}s are more than the ${LONG_SECONDS}s that distributions often set as a limit. A distribution's file in logind.conf.d ` +
        "whose name sorts after 99-kubelet.conf takes precedence: the kubelet then logs that its shutdown manager timed out, and pods get no " +
        "time at all. Check with: systemd-analyze cat-config systemd/logind.conf"
    }
  ]
}
