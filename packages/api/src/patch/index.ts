// JSON patch, merge patch and strategic merge patch, and what makes them.

export { goText } from "./goText.ts"
export type { Json, JsonList, JsonMap } from "./Json.ts"
export { applyJsonPatch, applyJsonPatchInSteps } from "./JsonPatch.ts"
export { applyMergePatch } from "./MergePatch.ts"
export { PatchError, statusOfPatchError } from "./PatchError.ts"
export { createNodeStatusPatch, createPodStatusPatch } from "./StatusPatch.ts"
export { createStrategicPatch, diffDocuments } from "./StrategicDiff.ts"
export { applyStrategicPatch } from "./StrategicPatch.ts"
export { strategicLeftover } from "./strategicLeftover.ts"
