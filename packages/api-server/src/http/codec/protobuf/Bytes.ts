import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** Bytes that are no message of the type. Never leaves this folder's entry points. */
export class MalformedProtobuf extends Error {}

export const malformed = (message: string): never => {
  throw new MalformedProtobuf(message)
}

export { WireType }

/** Deeper nesting than any type of the API has, and little enough for the stack. */
const maxDepth = 100

/** Calls back for each field of a message; the callback reads or skips its value. */
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

/** Refuses a field that has another form than its type. */
export const expectWire = (wire: WireType, wanted: WireType, name: string): void => {
  if (wire !== wanted) malformed(`proto: wrong wireType = ${wire} for field ${name}`)
}
