// Claims: what becomes of one, and which volume suits it.

export { type ClaimStep, type ClaimView, planClaim } from "./binder/claimPlan.ts"
export { bestMatch, mismatchOf } from "./binder/match.ts"
export type { EventDraft } from "./binder/EventDraft.ts"

// Volumes: what becomes of one, and where it can be reached.

export { planVolume, type VolumeStep } from "./binder/volumePlan.ts"
export { type VolumeDeletion, volumeDeletion } from "./driver/provisionerPlan.ts"
export { type ProvisioningTopology, zonesFor } from "./driver/topology.ts"

// Attachments: which volumes a node no longer needs, and when one is detached by force.

export { type DetachDecision, decideDetach, type UnwantedVolume, unwantedVolume } from "./attach/ForceDetach.ts"

// Protection: what keeps a claim.

export { podUsesClaim } from "./protection/podUsesClaim.ts"
