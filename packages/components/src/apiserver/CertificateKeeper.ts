import type { Listening } from "@rollcall/api-server/http"
import type { Pki, PkiError } from "@rollcall/pki"
import { loggedErrors, repeatPasses } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"

export interface KeptCertificates {
  /** Opens the keys of a cluster at a time; renews only certificates that are no longer valid. */
  readonly open: (nowMs: number) => Effect.Effect<Pki, PkiError>
  /** The keys in use. */
  readonly pki: Pki
  readonly listening: Listening
  /** Called with renewed keys, to update what is derived from them. */
  readonly renewed: (pki: Pki, nowMs: number) => Effect.Effect<unknown>
}

const EVERY_MS = 30_000
/** A clock correction of less than this does not count as a change. */
const JUMP_MS = 10_000

/**
 * Renews the certificates of a running server until the scope closes: clients check them against the clock of their
 * machine, which runs for months and may be set. The server's own clock does not jump. A check that throws is logged
 * and counted, and the next one still runs.
 */
export const keepCertificates = Effect.fnUntraced(function* ({ listening, open, pki, renewed }: KeptCertificates) {
  const { wallClockMs } = yield* Host
  const steadyMs = () => Number(process.hrtime.bigint() / 1_000_000n)
  let offset = wallClockMs() - steadyMs()
  let served = pki
  const look = Effect.gen(function* () {
    const nowMs = wallClockMs()
    const jumpedMs = Math.round(nowMs - steadyMs() - offset)
    offset += jumpedMs
    if (Math.abs(jumpedMs) > JUMP_MS) {
      yield* Effect.logWarning("The clock of this machine was set; the server's own time goes on from its start").pipe(
        Effect.annotateLogs({ jumpedMs })
      )
    }
    const now = yield* open(nowMs)
    if (now.server.certificatePem !== served.server.certificatePem) {
      listening.renew({ key: now.server.keyPem, cert: now.server.certificatePem, clientCa: now.authorityPem })
      yield* Effect.logInfo("Serving with a new certificate")
    }
    served = now
    yield* renewed(now, nowMs)
  }).pipe(
    Effect.catchTag("PkiError", ({ file, message }) =>
      Effect.logError("Cannot renew the certificates").pipe(Effect.annotateLogs({ path: file, err: message }))
    )
  )
  const handleError = yield* loggedErrors
  yield* Effect.forkScoped(repeatPasses({ handleError }, "certificates", look, EVERY_MS))
})
