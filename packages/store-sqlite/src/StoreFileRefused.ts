import * as Schema from "effect/Schema"

/**
 * The file was not opened, and not changed. `reason`: `lost` (acknowledged writes are missing), `damaged` (a check
 * failed), `foreign` (a file of another program, or not a database), `newer` (an unknown newer format), `locked` (open
 * in another process), `unavailable` (missing folder, no permission, a full disk). The message names the file and says
 * what to do.
 */
export class StoreFileRefused extends Schema.TaggedError<StoreFileRefused>()("StoreFileRefused", {
  file: Schema.String,
  reason: Schema.Literals(["lost", "damaged", "foreign", "newer", "locked", "unavailable"]),
  message: Schema.String
}) {}
