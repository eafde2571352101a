export * from "./decode/index.ts"
export type { FieldType, MessageType, Scalar, WireType } from "./WireType.ts"
export type { GroupVersionKind } from "./wireTypes.ts"
export { wireTypeNamed, wireTypeOf, wireTypeOfGvk, wireTypes } from "./wireTypes.ts"
