import type { MessageType } from "@rollcall/api/wire"
import { isObject, type JsonObject } from "../Case.ts"

export const NAMESPACE = "fuzz"

/** What is sent: the objects of a kind. */
export interface Resource {
  readonly kind: string
  readonly apiVersion: string
  readonly plural: string
  readonly namespaced: boolean
  readonly type: MessageType
  /** A valid object, without its name. */
  readonly base: JsonObject
  /** Whether its objects are validated only. */
  readonly isDry: boolean
  /** Whether it has no strategic merge patch. */
  readonly isCustom: boolean
  /** Another version in which its objects are served. */
  readonly otherVersion?: string
}

/** Returns the path of a resource's collection. */
export const collectionOf = ({ apiVersion, namespaced, plural }: Resource): string => {
  const prefix = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${prefix}${namespaced ? `/namespaces/${NAMESPACE}` : ""}/${plural}`
}

/** Returns the valid object with a name. */
export const objectNamed = ({ apiVersion, base, kind }: Resource, name: string): JsonObject => {
  const metadata = isObject(base.metadata) ? base.metadata : {}
  const named = kind === "CustomResourceDefinition" ? "things.fuzz.example.com" : name
  return { apiVersion, kind, ...base, metadata: { name: named, ...metadata } }
}
