// Who owns which field of an object.

export { checkTyped } from "./checkTyped.ts"
export { FieldOwnership, type ManagedKind, type ManagedWrite, sameButTimes } from "./FieldOwnership.ts"
export { merge } from "./merge.ts"
export { managerName, renewedEntries } from "./renewedEntries.ts"
export { entriesAfterScale, entriesOfScale, replicasPath, scaleVersion } from "./scaleOwners.ts"
export { type Schema, type StructSchema, structOf } from "./schema.ts"
export type { VersionConversion } from "./WriteContext.ts"
