export * from "./attach/AttachDetachController.ts"
export * from "./attach/ForceDetach.ts"
export { type AttachableVolume, attachableOf, attachmentName } from "./attach/volumeNames.ts"
export * from "./Observer.ts"
