import { defaultLimitRange, defaultResourceQuota } from "../defaulting/quota.ts"
import { defaultPodTemplate, defaultReplicationController } from "../defaulting/replicationController.ts"
import { LimitRange, ResourceQuota } from "../objects/Quota.ts"
import { PodTemplate, ReplicationController } from "../objects/ReplicationController.ts"
import { limitRangeRules } from "../validation/limitRange.ts"
import { podTemplateRules, replicationControllerRules } from "../validation/replicationController.ts"
import { resourceQuotaRules } from "../validation/resourceQuota.ts"
import { podTemplateWarnings, quotaWarnings, replicationControllerWarnings } from "../warnings/workloads.ts"
import { kind } from "./Kind.ts"

/** Upstream: quotas, templates and ReplicationControllers of pkg/apis/core. */

export const limitRanges = kind<LimitRange>(LimitRange, {
  shortNames: ["limits"],
  defaults: defaultLimitRange,
  validation: limitRangeRules
})

export const resourceQuotas = kind<ResourceQuota>(ResourceQuota, {
  shortNames: ["quota"],
  defaults: defaultResourceQuota,
  validation: resourceQuotaRules,
  warnings: quotaWarnings
})

export const podTemplates = kind<PodTemplate>(PodTemplate, {
  defaults: defaultPodTemplate,
  validation: podTemplateRules,
  warnings: podTemplateWarnings
})

export const replicationControllers = kind<ReplicationController>(ReplicationController, {
  shortNames: ["rc"],
  categories: ["all"],
  defaults: defaultReplicationController,
  validation: replicationControllerRules,
  warnings: replicationControllerWarnings,
  fields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) }
})
