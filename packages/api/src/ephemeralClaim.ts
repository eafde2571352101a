import type { Pod } from "./objects/Pod.ts"

/** Returns the name of the claim for an ephemeral volume of a pod. Upstream: component-helpers/storage/ephemeral VolumeClaimName. */
export const ephemeralClaimName = ({ metadata }: Pod, volume: string): string => `${metadata.name}-${volume}`
