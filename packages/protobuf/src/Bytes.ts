import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import { goName } from "@rollcall/api/wire"

/** Thrown for bytes that are not a message of the expected type; the functions of envelope.ts catch it. */
export class MalformedProtobuf extends Error {}

export const throwMalformed = (message: string): never => {
  throw new MalformedProtobuf(message)
}

export { WireType }

/** The maximum nesting: deeper than any type of the API, and small enough for the stack. */
const maxDepth = 100

/** Calls `read` for each field of a message of Go's type `owner`; it must read or skip the value. */
export const eachField = (
  bytes: Uint8Array,
  depth: number,
  owner: string,
  read: (number: number, wire: WireType, reader: BinaryReader) => void
): void => {
  if (depth > maxDepth) throwMalformed("proto: message nested too deep")
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const [number, wire] = [tag >>> 3, tag & 7]
    if (wire === WireType.EndGroup) throwMalformed(`proto: ${owner}: wiretype end group for non-group`)
    if (number <= 0) throwMalformed(`proto: ${owner}: illegal tag ${number} (wire type ${tag})`)
    read(number, wire, reader)
  }
}

/**
 * Calls `read` for each field of an entry of a map. The generated code checks neither its tags nor its wire types, and a
 * key or value may run on into the fields after the entry.
 */
export const eachFieldOfEntry = (reader: BinaryReader, read: (number: number, wire: WireType) => void): void => {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > reader.len) throw new RangeError("unexpected EOF")
  while (reader.pos < end) {
    const tag = reader.uint32()
    read(tag >>> 3, tag & 7)
  }
  reader.pos = end
}

/** Skips the value of an unknown field, and what a group contains. Upstream: the generated `skipGenerated`. */
export const skipValue = (reader: BinaryReader, first: WireType): void => {
  let groups = 0
  for (let wire: number = first; ; wire = reader.uint32() & 7) {
    if (wire === WireType.StartGroup) groups++
    else if (wire === WireType.EndGroup) groups--
    else if (wire > WireType.Bit32) throwMalformed(`proto: illegal wireType ${wire}`)
    else reader.skip(wire)
    if (groups === 0) return
    if (reader.pos >= reader.len) throw new RangeError("unexpected EOF")
  }
}

/** Throws for a field, by its name in JSON or Go, whose wire type does not match its type. */
export const expectWire = (wire: WireType, wanted: WireType, name: string): void => {
  if (wire !== wanted) throwMalformed(`proto: wrong wireType = ${wire} for field ${goName(name)}`)
}
