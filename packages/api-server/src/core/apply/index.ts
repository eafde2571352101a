export { FieldOwnership, sameButTimes, type Written } from "./FieldOwnership.ts"
export { managerName } from "./managerName.ts"
