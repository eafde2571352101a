import type { StaticPodManifest } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { parseManifests } from "./parseManifest.ts"
import { LIMIT_REACHED, MAX_MANIFEST_BYTES } from "./readAtMost.ts"
import type { ManifestReading } from "./readManifests.ts"

export interface ManifestUrl {
  readonly url: string
  /** `--manifest-url-header`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The pause between two requests: `httpCheckFrequency`, 20 s by default. */
  readonly checkEveryMs: number
}

/** Timeout of one request. */
const TIMEOUT = "10 seconds"

class BodyTooLong extends Schema.TaggedError<BodyTooLong>()("BodyTooLong", { message: Schema.String }) {}

/** Reads a body up to the size limit of a manifest. */
const textOf = Effect.fnUntraced(function* ({ stream }: HttpClientResponse.HttpClientResponse) {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* Stream.runForEach(stream, (chunk) => {
    bytes += chunk.length
    if (bytes >= MAX_MANIFEST_BYTES) return Effect.fail(new BodyTooLong({ message: LIMIT_REACHED }))
    chunks.push(chunk)
    return Effect.void
  })
  return Buffer.concat(chunks).toString("utf8")
})

/** Characters of a body that a message shows. */
const MAX_SHOWN_CHARACTERS = 1000

const shorten = (text: string): string =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text

/** The reading for one response: pods, a problem that keeps the known pods, or none (an empty response). */
const readingOfResponse = (url: string, text: string, known: ReadonlyArray<StaticPodManifest>): ManifestReading => {
  if (text === "")
    return { manifests: [], problems: [{ source: url, message: `zero-length data received from ${url}` }] }
  return Result.match(parseManifests(text), {
    onSuccess: (pods) => ({
      manifests: pods.map((pod): StaticPodManifest => ({ source: url, kind: "http", pod })),
      problems: []
    }),
    onFailure: (why) => ({
      manifests: known,
      problems: [
        {
          source: url,
          message: `${url}: received '${shorten(text)}', but couldn't parse as single or multiple pods (${why})`
        }
      ]
    })
  })
}

/**
 * Polls a web server for this node's manifests: emits at once, then at every `checkEveryMs` if pods or problems have
 * changed. A server that does not respond, or responds with an invalid body, leaves the known pods.
 * Upstream: pkg/kubelet/config/http.go.
 */
export const pollManifests = (options: ManifestUrl): Stream.Stream<ManifestReading, never, HttpClient.HttpClient> => {
  const { checkEveryMs, headers = {}, url } = options
  return Stream.suspend(() => {
    let known: ReadonlyArray<StaticPodManifest> = []
    let body: string | undefined
    const problemReading = (message: string): ManifestReading => ({
      manifests: known,
      problems: [{ source: url, message }]
    })
    const requestManifests = Effect.gen(function* () {
      const response = yield* HttpClient.get(url, { headers })
      if (response.status !== 200) return problemReading(`${url}: ${response.status}`)
      const text = yield* textOf(response)
      if (text === body) return undefined
      body = text === "" ? body : text
      const reading = readingOfResponse(url, text, known)
      known = reading.manifests
      return reading
    }).pipe(
      Effect.timeout(TIMEOUT),
      Effect.catch(({ message }) => Effect.succeed(problemReading(message)))
    )
    return Stream.fromEffectSchedule(requestManifests, Schedule.spaced(checkEveryMs)).pipe(
      Stream.filter((reading) => reading !== undefined)
    )
  })
}
