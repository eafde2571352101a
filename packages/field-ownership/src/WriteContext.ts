import type { KubeObject } from "@rollcall/api"
import type { MessageType } from "@rollcall/api/wire"
import type * as Result from "effect/Result"
import type { FieldSet } from "./fieldSet.ts"
import type { Manager } from "./Managers.ts"
import type { StructSchema } from "./schema.ts"

/** Converts objects between the versions of a kind, perhaps by calling another program: it may take time, and can fail with a message. */
export interface VersionConversion {
  /** Converts an object to another version of it, for the owners of its fields. */
  toVersion(object: KubeObject, apiVersion: string, done: (result: Result.Result<KubeObject, string>) => void): void
  /** The type of the objects of a version; undefined for an unknown one. */
  typeOf(apiVersion: string): MessageType | undefined
}

/** A write, as the rules of ownership need it. */
export interface WriteContext {
  /** The type of the object. */
  readonly schema: StructSchema
  /** An object of the type that has only the fields which Go always writes, at their zero values. These have no owner. */
  readonly empty: unknown
  readonly writer: Manager
  /** Fields that this (sub)resource resets: its writers never own them. */
  readonly reset: FieldSet
  /** The time of the write as in the API; undefined if the write is recorded without one. */
  readonly time: string | undefined
  /** How objects get into the versions of other owners, where versions differ in more than their name. */
  readonly versions?: VersionConversion | undefined
  /** Whether owners at versions that the server does not know are forgotten. */
  readonly forgets: boolean
}
