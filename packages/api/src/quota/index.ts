// What quotas count, and whether a write keeps them.

export { checkRequest, hasSameUse, type QuotaDecision } from "./checkRequest.ts"
export { type Evaluator, groupResourceText, type QuotaView, type QuotaWrite } from "./Evaluator.ts"
export { evaluatorOf } from "./evaluators.ts"
export { isExtendedForQuota } from "./podEvaluator.ts"
export { type CountedObjects, quotaStatus, quotaUsage } from "./usage.ts"

// Limits of the objects of a namespace.

export { claimLimitFaults, podLimitFaults, withLimitDefaults } from "./limits.ts"
export { equalLists } from "./lists.ts"
