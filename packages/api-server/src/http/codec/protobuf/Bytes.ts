import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** The bytes are not a message of the type. Never leaves this folder's entry points. */
export class MalformedProtobuf extends Error {}

export const malformed = (message: string): never => {
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
  if (depth > maxDepth) malformed("proto: message nested too deep")
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    if (number <= 0) malformed(`proto: illegal tag ${number} (wire type ${wire})`)
    if (wire === WireType.EndGroup) malformed("proto: wiretype end group for non-group")
    read(number, wire, reader)
  }
}

/** Fails for a field whose wire type does not match its type. */
export const expectWire = (wire: WireType, wanted: WireType, name: string): void => {
  if (wire !== wanted) malformed(`proto: wrong wireType = ${wire} for field ${name}`)
}
