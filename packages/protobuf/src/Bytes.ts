import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** Thrown for bytes that are not a message of the expected type; the functions of envelope.ts catch it. */
export class MalformedProtobuf extends Error {}

export const throwMalformed = (message: string): never => {
  throw new MalformedProtobuf(message)
}

export { WireType }

/** The maximum nesting: deeper than any type of the API, and small enough for the stack. */
const maxDepth = 100

/** Calls `read` for each field of a message; it must read or skip the value. */
export const eachField = (
  bytes: Uint8Array,
  depth: number,
  read: (number: number, wire: WireType, reader: BinaryReader) => void
): void => {
  if (depth > maxDepth) throwMalformed("proto: message nested too deep")
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = tagOf(reader)
    if (number <= 0) throwMalformed(`proto: illegal tag ${number} (wire type ${wire})`)
    if (wire === WireType.EndGroup) throwMalformed("proto: wiretype end group for non-group")
    read(number, wire, reader)
  }
}

/** Returns number and wire type of the next field, in Go's words if there is no such wire type. */
const tagOf = (reader: BinaryReader): readonly [number: number, wire: WireType] => {
  const tag = reader.uint32()
  const wire = tag & 7
  if (wire > WireType.Bit32) throwMalformed(`proto: illegal wireType ${wire}`)
  return [tag >>> 3, wire]
}

/** Throws for a field whose wire type does not match its type. */
export const expectWire = (wire: WireType, wanted: WireType, name: string): void => {
  if (wire !== wanted) throwMalformed(`proto: wrong wireType = ${wire} for field ${name}`)
}
