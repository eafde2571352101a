import { badRequest, type Status, unsupportedMediaType } from "@rollcall/api"
import * as Result from "effect/Result"
import { bodyEncoding, mediaTypes } from "./mediaTypes.ts"

/** A body that was read, and what there is to say about it. */
export interface DecodedBody {
  readonly object: unknown
  readonly warnings: ReadonlyArray<string>
}

/** The object in a request's body. `kind` is what the address expects. */
export const decodeBody = (
  body: Buffer,
  contentType: string | undefined,
  kind: { readonly group: string; readonly version: string; readonly kind: string }
): Result.Result<DecodedBody, Status> => {
  const encoding = bodyEncoding(contentType)
  if (encoding === undefined) return Result.fail(unsupportedMediaType(mediaTypes))
  try {
    return Result.succeed({ object: JSON.parse(body.toString()), warnings: [] })
  } catch {
    return Result.fail(
      badRequest(
        `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error`
      )
    )
  }
}
