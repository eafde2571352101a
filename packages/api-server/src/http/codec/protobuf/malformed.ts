/** Bytes that are no message of the type. Never leaves this folder's entry points. */
export class MalformedProtobuf extends Error {}

export const malformed = (message: string): never => {
  throw new MalformedProtobuf(message)
}
