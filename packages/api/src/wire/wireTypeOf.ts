import { type KindName, resourceOf } from "../Kinds.ts"
import type { MessageType } from "./WireType.ts"
import { wireTypeOfGvk } from "./wireTypes.ts"

/** Returns the wire type of a kind of the modelled API. */
export const wireTypeOf = (kind: KindName): MessageType => {
  const message = wireTypeOfGvk(resourceOf(kind))
  if (message === undefined) throw new Error(`no wire type for ${kind}`)
  return message
}
