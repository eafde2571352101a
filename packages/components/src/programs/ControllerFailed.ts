import * as Schema from "effect/Schema"

/** A controller cannot begin with what it found in the cluster: the process ends, and starts no other. */
export class ControllerFailed extends Schema.TaggedError<ControllerFailed>()("ControllerFailed", {
  message: Schema.String
}) {}
