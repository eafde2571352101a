export * from "./decode/index.ts"
export type { FieldType, MessageType, Scalar, WireType } from "./WireType.ts"
