import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { makeKeys } from "../http/wire.ts"

/** An AdmissionReview that a webhook received. */
export interface Received {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  readonly review: any
}

type Answers = Readonly<Record<string, (request: Received["review"]) => object>>

export const patchOf = (...operations: ReadonlyArray<object>) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64")
})

/** A webhook server on loopback, with one answer for each path, which `/moved` before it redirects to. */
export const startWebhooks = Effect.fnUntraced(function* (answers: Answers) {
  const pki = yield* makeKeys
  const received: Array<Received> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const made = createServer({ cert: pki.server.certificatePem, key: pki.server.keyPem }, (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const review = JSON.parse(Buffer.concat(chunks).toString())
          const path = (request.url ?? "").replace(/\?.*/, "")
          const moved = /^\/moved(\/.*)$/.exec(path)
          if (moved !== null) {
            response.writeHead(307, { location: moved[1] ?? "" }).end()
            return
          }
          received.push({ path, review })
          const answer = answers[path]
          if (answer === undefined) {
            response.writeHead(500).end("went wrong")
            return
          }
          const { apiVersion, kind } = review
          const answered = { uid: review.request.uid, ...answer(review.request) }
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ apiVersion, kind, response: answered }))
        })
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const caBundle = Buffer.from(pki.authorityPem).toString("base64")
  return { received, clientConfig: (path: string) => ({ url: `https://127.0.0.1:${port}${path}`, caBundle }) }
})
