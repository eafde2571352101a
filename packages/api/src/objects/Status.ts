import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { ListMeta } from "./Meta.ts"

/** One cause of an error: its machine-readable type, its message, and its field. */
export const StatusCause = Schema.Struct({
  reason: opt(Schema.String),
  message: opt(Schema.String),
  field: opt(Schema.String)
})
export interface StatusCause extends Schema.Schema.Type<typeof StatusCause> {}

/** The object of an error, and its causes. */
export const StatusDetails = Schema.Struct({
  name: opt(Schema.String),
  group: opt(Schema.String),
  kind: opt(Schema.String),
  uid: opt(Schema.String),
  causes: opt(list(StatusCause)),
  retryAfterSeconds: opt(Schema.Int)
})
export interface StatusDetails extends Schema.Schema.Type<typeof StatusDetails> {}

/** A response that is not an object: an error, or the success of a delete. */
export const Status = Schema.Struct({
  apiVersion: Schema.Literal("v1"),
  kind: Schema.Literal("Status"),
  metadata: ListMeta,
  status: opt(oneOf("Success", "Failure")),
  message: opt(Schema.String),
  reason: opt(Schema.String),
  details: opt(StatusDetails),
  code: opt(Schema.Int)
})
export interface Status extends Schema.Schema.Type<typeof Status> {}

/** Conditions that must hold for a delete. */
export const Preconditions = Schema.Struct({ uid: opt(Schema.String), resourceVersion: opt(Schema.String) })
export interface Preconditions extends Schema.Schema.Type<typeof Preconditions> {}

/** Options of a delete: the grace period, and what happens to dependents. */
export const DeleteOptions = Schema.Struct({
  apiVersion: opt(Schema.String),
  kind: opt(Schema.String),
  gracePeriodSeconds: opt(Schema.Int),
  preconditions: opt(Preconditions),
  orphanDependents: opt(Schema.Boolean),
  propagationPolicy: opt(oneOf("Orphan", "Background", "Foreground")),
  dryRun: opt(list(Schema.String))
})
export interface DeleteOptions extends Schema.Schema.Type<typeof DeleteOptions> {}
