import { type ClusterError, type ClusterShape, isNotFound } from "@rollcall/cluster"
import { type CertificateStore, makeKeyPem, type PkiError, type StoredCertificate } from "@rollcall/pki"
import { nextRng, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { clientCertificateOf, servingCertificateOf, servingNames } from "./nodeCertificates.ts"
import { type AskedCertificate, type CertificateNotIssued, requestCertificate } from "./requestCertificate.ts"

/** How long a renewed certificate is waited for before another one is requested. Upstream: certificateWaitTimeout. */
const WAIT_MS = 900_000
/** How often a kubelet checks whether its certificate is still the right one. */
const CHECK_MS = 10_000
/** How often it looks whether it can ask for one yet. Upstream: certificate_manager.go, Start. */
const FIRST_CHECK_MS = 1_000
/** The pause after the last of some failed attempts. */
const PAUSE = "32 seconds"

/** A certificate that is renewed before it ends. */
export interface RotatedCertificate {
  readonly store: CertificateStore
  /** Returns what to ask for with a new key; undefined if it cannot be asked for yet. */
  readonly ask: (keyPem: string) => Effect.Effect<AskedCertificate | undefined, ClusterError>
  /** Whether a certificate serves its purpose; by default every certificate does. */
  readonly suits?: (certificate: StoredCertificate) => Effect.Effect<boolean, ClusterError>
}

/**
 * Returns when a certificate is renewed, between 70 and 90 percent of its life. Upstream:
 * client-go/util/certificate/certificate_manager.go, nextRotationDeadline.
 */
export const rotationTime = (
  { notAfterMs, notBeforeMs }: Pick<StoredCertificate, "notBeforeMs" | "notAfterMs">,
  chance: number
): number => notBeforeMs + (notAfterMs - notBeforeMs) * (0.7 + 0.2 * chance)

type Failure = CertificateNotIssued | ClusterError | PkiError

/** Renews a certificate. Returns when to check again, in milliseconds. */
const renew = (cluster: ClusterShape, { ask, store }: RotatedCertificate, now: () => number) =>
  Effect.gen(function* () {
    const keyPem = makeKeyPem()
    const asked = yield* ask(keyPem)
    if (asked === undefined) return FIRST_CHECK_MS
    const certificatePem = yield* requestCertificate(cluster, asked, WAIT_MS)
    yield* store.update({ certificatePem, keyPem }, now())
    yield* Effect.logInfo("Rotated a certificate").pipe(Effect.annotateLogs({ file: store.currentPath }))
    return CHECK_MS
  })

const logFailure = (error: Failure) =>
  Effect.logError("Cannot rotate a certificate").pipe(Effect.annotateLogs({ err: error.message }))

const attempts = Schedule.exponential("2 seconds").pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))

/** Renews a certificate as long as it runs: at once if there is none or it does not suit, else before it ends. */
export const keepCertificate = Effect.fnUntraced(function* (cluster: ClusterShape, rotated: RotatedCertificate) {
  const { now } = yield* Timers
  const random = yield* nextRng
  const { store, suits = () => Effect.succeed(true) } = rotated
  let renewal: { readonly of: string; readonly atMs: number } | undefined
  const isDue = Effect.gen(function* () {
    const current = yield* store.current
    if (current === undefined || !(yield* suits(current))) return true
    // One deadline for each certificate: a new one at each check would come earlier and earlier.
    if (renewal?.of !== current.certificatePem) {
      renewal = { of: current.certificatePem, atMs: rotationTime(current, random()) }
    }
    return now() >= renewal.atMs
  })
  const pass = Effect.gen(function* () {
    if (!(yield* isDue)) return CHECK_MS
    return yield* renew(cluster, rotated, now).pipe(Effect.tapError(logFailure), Effect.retry(attempts))
  }).pipe(Effect.catch(() => Effect.as(Effect.sleep(PAUSE), CHECK_MS)))
  return yield* Effect.forever(Effect.flatMap(pass, Effect.sleep))
})

/** The client certificate of a kubelet. */
export const rotatedClient = (node: string, store: CertificateStore): RotatedCertificate => ({
  store,
  ask: (keyPem) => Effect.succeed(clientCertificateOf(node, keyPem))
})

/** The serving certificate of a kubelet, for the addresses of its node. */
export const rotatedServing = (cluster: ClusterShape, node: string, store: CertificateStore): RotatedCertificate => {
  const names = cluster.get("Node", { name: node }, { resourceVersion: "0" }).pipe(
    Effect.map(({ status }) => servingNames(status?.addresses ?? [])),
    // The node is not registered yet.
    Effect.catchIf(isNotFound, () => Effect.succeed<ReadonlyArray<string>>([]))
  )
  return {
    store,
    ask: (keyPem) =>
      Effect.map(names, (wanted) => (wanted.length === 0 ? undefined : servingCertificateOf(node, keyPem, wanted))),
    suits: (certificate) => Effect.map(names, (wanted) => wanted.every((name) => certificate.names.includes(name)))
  }
}
