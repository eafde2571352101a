import type { KubeObject } from "@rollcall/api"
import { decodeValue, type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { VersionConversion } from "@rollcall/field-ownership"
import * as Result from "effect/Result"
import type { ViewOf } from "./KindDefinition.ts"

const typeOf = (apiVersion: string, kind: string): MessageType | undefined => {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return wireTypeOfGvk({ group, version, kind })
}

/** Returns how objects get from the version of a view to that of the stored objects, and back. */
export const versionsOf = (
  kind: string,
  shown: string,
  stored: string,
  { fromStorage, toStorage }: Pick<ViewOf, "fromStorage" | "toStorage">
): VersionConversion => ({
  toVersion: (object, apiVersion, done) => {
    const type = typeOf(object.apiVersion, kind)
    const decoded = type === undefined ? Result.fail(`no type ${object.apiVersion}`) : decodeValue(type, object)
    if (Result.isFailure(decoded)) return done(Result.fail(decoded.failure))
    const whole = decoded.success.value as KubeObject
    if (whole.apiVersion === apiVersion) return done(Result.succeed(whole))
    done(Result.succeed(apiVersion === stored ? toStorage(whole) : fromStorage(whole)))
  },
  typeOf: (apiVersion) => (apiVersion === shown || apiVersion === stored ? typeOf(apiVersion, kind) : undefined)
})
