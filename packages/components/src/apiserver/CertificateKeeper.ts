import type { Listening } from "@rollcall/api-server/http"
import type { Pki, PkiError } from "@rollcall/pki"
import { loggedErrors, repeatPasses } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"

export interface CertificateKeeperOptions {
  /** Opens the keys of a cluster at a time; renews only certificates that are no longer valid. */
  readonly openKeys: (nowMs: number) => Effect.Effect<Pki, PkiError>
  /** The keys in use at the start. */
  readonly pki: Pki
  readonly listening: Listening
  /** The CAs of proxies, if they are not that of the keys. */
  readonly proxyAuthorityPem?: string | undefined
  /**
   * Called at each check with the keys in use, renewed or not: updates what is derived from them, if it is outdated.
   */
  readonly updateDerived: (pki: Pki, nowMs: number) => Effect.Effect<unknown>
}

/** Returns the CAs of the certificates that TLS accepts: those of clients, and of proxies that ask for them. */
export const acceptedAuthorities = (
  { authorityPem, frontProxyAuthorityPem }: Pki,
  proxyAuthorityPem = frontProxyAuthorityPem
): string => `${authorityPem.trimEnd()}\n${proxyAuthorityPem}`

const CHECK_PERIOD_MS = 30_000
/** A clock correction of less than this does not count as a change. */
const MIN_JUMP_MS = 10_000

/**
 * Checks and renews the certificates of a running server every 30 s, first after 30 s, until the scope closes. Clients check certificates
 * against the clock of their machine, which runs for months and may be set, whereas the server's own clock does not
 * jump. A check that throws is logged and counted, and the next one still runs.
 */
export const keepCertificates = Effect.fnUntraced(function* ({
  listening,
  openKeys,
  pki,
  proxyAuthorityPem,
  updateDerived
}: CertificateKeeperOptions) {
  const { wallClockMs } = yield* Host
  const steadyMs = () => Number(process.hrtime.bigint() / 1_000_000n)
  let expectedOffsetMs = wallClockMs() - steadyMs()
  let servedKeys = pki
  const checkCertificates = Effect.gen(function* () {
    const nowMs = wallClockMs()
    const jumpedMs = Math.round(nowMs - steadyMs() - expectedOffsetMs)
    expectedOffsetMs += jumpedMs
    if (Math.abs(jumpedMs) > MIN_JUMP_MS) {
      yield* Effect.logWarning("The clock of this machine was set; the server's own time goes on from its start").pipe(
        Effect.annotateLogs({ jumpedMs })
      )
    }
    const currentKeys = yield* openKeys(nowMs)
    if (currentKeys.server.certificatePem !== servedKeys.server.certificatePem) {
      listening.renew({
        key: currentKeys.server.keyPem,
        cert: currentKeys.server.certificatePem,
        clientCa: acceptedAuthorities(currentKeys, proxyAuthorityPem)
      })
      yield* Effect.logInfo("Serving with a new certificate")
    }
    servedKeys = currentKeys
    yield* updateDerived(currentKeys, nowMs)
  }).pipe(
    Effect.catchTag("PkiError", ({ file, message }) =>
      Effect.logError("Cannot renew the certificates").pipe(Effect.annotateLogs({ path: file, err: message }))
    )
  )
  const handleError = yield* loggedErrors
  const check = repeatPasses({ handleError }, "certificates", checkCertificates, CHECK_PERIOD_MS)
  yield* Effect.forkScoped(Effect.delay(check, CHECK_PERIOD_MS))
})
