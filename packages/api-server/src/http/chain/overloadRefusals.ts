import { requestEntityTooLarge, type Status, timeout, tooManyRequests } from "@rollcall/api"
import type { BodyProblem } from "../wire/BodyReader.ts"
import { defaultBodyLimits } from "../wire/bodyLimits.ts"

export const tooMany = tooManyRequests("Too many requests, please try again later.", 1)

export const tooLarge = requestEntityTooLarge(`limit is ${defaultBodyLimits.bytes}`)

export const bodyRefusals: Readonly<Record<Exclude<BodyProblem, "broken" | "tooLarge">, Status>> = {
  tooSlow: timeout("request did not complete within the allotted timeout", 1),
  tooMany
}

/** Upstream: tooManyRequests of apiserver/pkg/server/filters. Plain text, not a Status. */
export const TOO_MANY = "Too many requests, please try again later.\n"
