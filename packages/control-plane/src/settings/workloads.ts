import type { Release } from "@rollcall/api"
import { durationValue, type Given, integerValue, numberValue, setting, settingsInEffect } from "@rollcall/input"
import {
  type AutoscalerConfig,
  defaultAutoscalerConfig,
  defaultLegacyTokensConfig,
  defaultResourceQuotaConfig,
  type LegacyTokensConfig,
  type ResourceQuotaConfig
} from "@rollcall/workloads"

const quotaPath = (field: string) => `resourceQuotaController.${field}`
const scalerPath = (field: string) => `hpaController.${field}`
const SCALER = "horizontal-pod-autoscaler"

/** The settings of the workload controllers of kube-controller-manager. */
export const workloadSettings = {
  resourceQuotaSyncPeriodMs: setting(
    durationValue,
    { flag: "resource-quota-sync-period", path: quotaPath("resourceQuotaSyncPeriod") },
    () => defaultResourceQuotaConfig.syncPeriodMs
  ),
  concurrentResourceQuotaSyncs: setting(
    integerValue({ min: 1 }),
    { flag: "concurrent-resource-quota-syncs", path: quotaPath("concurrentResourceQuotaSyncs") },
    () => defaultResourceQuotaConfig.concurrentSyncs
  ),
  autoscalerSyncPeriodMs: setting(
    durationValue,
    { flag: `${SCALER}-sync-period`, path: scalerPath("horizontalPodAutoscalerSyncPeriod") },
    () => defaultAutoscalerConfig.syncPeriodMs
  ),
  autoscalerTolerance: setting(
    numberValue({ min: 0 }),
    { flag: `${SCALER}-tolerance`, path: scalerPath("horizontalPodAutoscalerTolerance") },
    () => defaultAutoscalerConfig.tolerance
  ),
  autoscalerDownscaleStabilizationMs: setting(
    durationValue,
    {
      flag: `${SCALER}-downscale-stabilization`,
      path: scalerPath("horizontalPodAutoscalerDownscaleStabilizationWindow")
    },
    () => defaultAutoscalerConfig.downscaleStabilizationMs
  ),
  autoscalerCpuInitializationMs: setting(
    durationValue,
    { flag: `${SCALER}-cpu-initialization-period`, path: scalerPath("horizontalPodAutoscalerCPUInitializationPeriod") },
    () => defaultAutoscalerConfig.cpuInitializationMs
  ),
  autoscalerInitialReadinessDelayMs: setting(
    durationValue,
    { flag: `${SCALER}-initial-readiness-delay`, path: scalerPath("horizontalPodAutoscalerInitialReadinessDelay") },
    () => defaultAutoscalerConfig.initialReadinessDelayMs
  ),
  concurrentAutoscalerSyncs: setting(
    integerValue({ min: 1 }),
    { flag: `concurrent-${SCALER}-syncs`, path: scalerPath("concurrentHorizontalPodAutoscalerSyncs") },
    () => defaultAutoscalerConfig.concurrentSyncs
  ),
  legacyTokenCleanUpPeriodMs: setting(
    durationValue,
    { flag: "legacy-service-account-token-clean-up-period", path: "legacySATokenCleaner.cleanUpPeriod" },
    () => defaultLegacyTokensConfig.cleanUpPeriodMs
  )
}

/** What the settings say for each controller. */
export interface WorkloadConfigs {
  readonly quotas: Partial<ResourceQuotaConfig>
  readonly autoscalers: Partial<AutoscalerConfig>
  readonly legacyTokens: LegacyTokensConfig
}

export const workloadConfigsOf = (given: Given<typeof workloadSettings>, release: Release): WorkloadConfigs => {
  const settings = settingsInEffect(workloadSettings, given, release)
  return {
    legacyTokens: { cleanUpPeriodMs: settings.legacyTokenCleanUpPeriodMs },
    quotas: {
      syncPeriodMs: settings.resourceQuotaSyncPeriodMs,
      concurrentSyncs: settings.concurrentResourceQuotaSyncs
    },
    autoscalers: {
      syncPeriodMs: settings.autoscalerSyncPeriodMs,
      tolerance: settings.autoscalerTolerance,
      downscaleStabilizationMs: settings.autoscalerDownscaleStabilizationMs,
      cpuInitializationMs: settings.autoscalerCpuInitializationMs,
      initialReadinessDelayMs: settings.autoscalerInitialReadinessDelayMs,
      concurrentSyncs: settings.concurrentAutoscalerSyncs
    }
  }
}
