import { gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { type HttpStep, type Json, parseAsWritten } from "./Case.ts"
import { jsonDocuments } from "./jsonDocuments.ts"
import { normaliseData, normaliseText } from "./normalise.ts"
import { replaceAll } from "./pattern.ts"
import type { Placeholders } from "./placeholders.ts"
import type { Answer, Ask } from "./Requests.ts"
import { recordedJson } from "./recordedJson.ts"
import { fill, type Variables, valueAt } from "./template.ts"

const COMPARED_HEADERS = ["Content-Type", "Content-Encoding", "Warning", "Retry-After", "Location", "Allow"]

/** The compared parts of a response. */
export interface HttpObservation {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

const headersOf = ({ valuesOf }: Answer, placeholders: Placeholders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    COMPARED_HEADERS.flatMap((name) => {
      const values = valuesOf(name)
      return values.length === 0 ? [] : [[name, placeholders(values.join(", "))]]
    })
  )

const jsonBody = (documents: ReadonlyArray<Json>, step: HttpStep, placeholders: Placeholders): Json => {
  const whole: Json = step.stream !== true && documents.length === 1 ? (documents[0] ?? null) : documents
  const normal = normaliseData(whole, placeholders, step.managedFields === true)
  if (step.mask === undefined || step.mask.length === 0) return normal
  const text = step.mask.reduce((masked, [pattern, by]) => replaceAll(masked, pattern, by), recordedJson(normal))
  return parseAsWritten(text) as Json
}

/** Sends the request of a step, stores the values that the step saves in `variables`, and returns the parts of the response to compare. */
export const askStep = Effect.fnUntraced(function* (
  ask: Ask,
  step: HttpStep,
  variables: Variables,
  placeholders: Placeholders
) {
  const { as = "admin", body: given, bodyRepeat, headers = {}, method, path } = fill(step.http, variables)
  const body = bodyRepeat === undefined ? given : bodyRepeat.text.repeat(bodyRepeat.times)
  const answer = yield* ask({
    method,
    path,
    headers,
    as,
    agent: "http-client/1.0",
    fresh: true,
    ...(body !== undefined && body !== null && { body })
  })
  const raw = answer.headers["content-encoding"] === "gzip" ? gunzipSync(answer.body) : answer.body
  const type = answer.headers["content-type"] ?? ""
  const text = raw.toString("utf8")
  let observed: Json
  if (type.includes("protobuf")) {
    observed = { bytes: raw.subarray(0, 4).toString("hex") }
  } else if ((type.includes("json") || step.json === true) && text.trim() !== "") {
    const documents = jsonDocuments(text) ?? [text]
    for (const [name, at] of Object.entries(step.save ?? {})) variables.set(name, valueAt(documents[0] ?? null, at))
    observed = jsonBody(documents, step, placeholders)
  } else {
    const { mask, only } = step
    observed = normaliseText(text, placeholders, { ...(mask && { mask }), ...(only !== undefined && { only }) })
  }
  const observation: HttpObservation = {
    status: answer.status,
    headers: headersOf(answer, placeholders),
    body: step.pick === undefined ? observed : step.pick.map((at) => [at, valueAt(observed, at)])
  }
  return observation
})
