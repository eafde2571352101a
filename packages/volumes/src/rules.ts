// Claims: what becomes of one, and which volume suits it.

export { type ClaimStep, type ClaimView, planClaim } from "./binder/claimPlan.ts"
export { bestMatch, mismatchOf } from "./binder/match.ts"
export type { Told } from "./binder/Told.ts"

// Volumes: what becomes of one, and where it can be reached.

export { planVolume, type VolumeStep } from "./binder/volumePlan.ts"
export { type VolumeEnd, volumeEnd } from "./driver/provisionerPlan.ts"
export { type Whereabouts, zonesFor } from "./driver/reach.ts"

// Attachments: which volumes a node no longer needs, and when one is detached by force.

export { type DetachDecision, decideDetach, type UnwantedVolume, unwantedVolume } from "./attach/ForceDetach.ts"

// Protection: what keeps a claim.

export { keepsClaim } from "./protection/claimUse.ts"
