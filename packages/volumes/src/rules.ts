// Claims: the next step for one, and the volume that matches it.

export { type ClaimStep, type ClaimView, planClaim } from "./binder/claimPlan.ts"
export type { EventDraft } from "./binder/EventDraft.ts"
export { bestMatch, mismatchOf } from "./binder/match.ts"

// Volumes: the next step for one, and the zones that can reach it.

export { planVolume, type VolumeStep } from "./binder/volumePlan.ts"
export { type VolumeDeletion, volumeDeletion } from "./driver/provisionerPlan.ts"
export { type ProvisioningTopology, zonesFor } from "./driver/topology.ts"

// Attachments: volumes that a node no longer needs, and when one is force-detached.

export { type DetachDecision, decideDetach, type UnwantedVolume, unwantedVolume } from "./attach/ForceDetach.ts"

// Protection: which pods keep a claim from deletion.

export { podUsesClaim } from "./protection/podUsesClaim.ts"
