import * as Schema from "effect/Schema"

/**
 * The file was not opened, and not changed. `reason`: `lost` (writes that were acknowledged are missing), `damaged` (a failed check), `foreign` (of another program, or no database),
 * `newer` (a format that this version does not know), `locked` (open in another process), `unavailable` (the folder is missing, no
 * permission, a full disk). The message names the file and says what to do.
 */
export class StoreFileRefused extends Schema.TaggedError<StoreFileRefused>()("StoreFileRefused", {
  file: Schema.String,
  reason: Schema.Literals(["lost", "damaged", "foreign", "newer", "locked", "unavailable"]),
  message: Schema.String
}) {}
