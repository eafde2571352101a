import { decodeValue, type MessageType, type WireType, wireTypeOf } from "@rollcall/api/wire"
import { type Problem, problemAt, unknownName } from "@rollcall/input"
import * as Result from "effect/Result"
import type { LoadedObject } from "./objects.ts"

const UNKNOWN = /^unknown field "(.*)"$/

/** Returns the message type of a field: its own, or that of its items or values. */
const messageIn = (type: WireType | undefined): MessageType | undefined => {
  if (type?.type === "message") return type.message
  if (type?.type === "list") return messageIn(type.items)
  return type?.type === "map" ? messageIn(type.values) : undefined
}

/** Returns the message type that has the last part of a path, such as the Container for `spec.containers[0].image`. */
const parentOf = (type: MessageType, parts: ReadonlyArray<string>): MessageType | undefined =>
  parts
    .slice(0, -1)
    .reduce<MessageType | undefined>(
      (message, part) => messageIn(message?.fields.get(part.replace(/\[.*$/, ""))?.type),
      type
    )

/**
 * Returns a problem for each field of an object that Kubernetes does not know. The rehearsal would ignore it; kubectl's validation refuses
 * it.
 */
export const unknownFields = (objects: ReadonlyArray<LoadedObject>): ReadonlyArray<Problem> =>
  objects.flatMap(({ file, kind, object, path }) => {
    const type = wireTypeOf(kind)
    const decoded = decodeValue(type, object)
    if (Result.isFailure(decoded)) return []
    return decoded.success.strictErrors.flatMap((error): ReadonlyArray<Problem> => {
      const field = UNKNOWN.exec(error)?.[1]
      if (field === undefined) return []
      const parts = field.split(".")
      const known = parentOf(type, parts)?.fields.keys() ?? []
      return [
        problemAt(
          file,
          path === "" ? field : `${path}.${field}`,
          unknownName("Kubernetes knows no such field", parts.at(-1) ?? "", known)
        )
      ]
    })
  })
