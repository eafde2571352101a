import * as Schema from "effect/Schema"

/** A controller cannot start with the state of the cluster; the process exits. */
export class ControllerFailed extends Schema.TaggedError<ControllerFailed>()("ControllerFailed", {
  message: Schema.String
}) {}
