import { type CertificateSigningRequest, type CertificateSigningRequestCondition, formatTime } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { CertificateKeys, RequestNames } from "./CertificateKeys.ts"
import { KUBELET_CLIENT_SIGNER, type KubernetesSigner, kubeletClientFault } from "./requestRules.ts"
import { conditionsOf, isDecided, isIssued, isPastDeadline, isToBeSigned } from "./requestState.ts"
import { signingTerms } from "./signingTerms.ts"

const KIND = "CertificateSigningRequest"
/** The queue of each of these controllers in metrics. */
/** Upstream: pkg/controller/certificates/certificate_controller.go. */
const backoff = { baseMs: 200, maxMs: 1_000_000 }
const QUEUE = "certificate"
const WORKERS = 5

const withCondition = (
  request: CertificateSigningRequest,
  condition: CertificateSigningRequestCondition
): CertificateSigningRequest => ({
  ...request,
  status: { ...request.status, conditions: [...conditionsOf(request), condition] }
})

interface Recognizer {
  readonly subresource: string
  readonly recognizes: (request: CertificateSigningRequest, names: RequestNames) => boolean
  readonly message: string
}

const isNodeClient = ({ spec }: CertificateSigningRequest, names: RequestNames): boolean =>
  spec.signerName === KUBELET_CLIENT_SIGNER && kubeletClientFault(names, spec.usages ?? []) === undefined

const recognizers: ReadonlyArray<Recognizer> = [
  {
    subresource: "selfnodeclient",
    recognizes: (request, names) => request.spec.username === names.commonName && isNodeClient(request, names),
    message: "Auto approving self kubelet client certificate after SubjectAccessReview."
  },
  {
    subresource: "nodeclient",
    recognizes: isNodeClient,
    message: "Auto approving kubelet client certificate after SubjectAccessReview."
  }
]

/** The requestor may not have its request approved. This is expected, and no error of the controller. */
class NotApproved extends Data.TaggedError("NotApproved")<{ readonly message: string }> {}

/** A request that cannot be read or signed. */
class CannotSign extends Data.TaggedError("CannotSign")<{ readonly message: string }> {}

/** Upstream logs these at level 4, and all other errors. */
const logFailure = (csr: string, error: Error): Effect.Effect<void> => {
  const level = error instanceof NotApproved ? Effect.logDebug : Effect.logError
  return level("Sync certificate request failed").pipe(Effect.annotateLogs({ csr, err: error.message }))
}

/**
 * Approves the client certificates that kubelets request, if their requestor may create the subresource for it.
 * Upstream: pkg/controller/certificates/approver/sarapprove.go.
 */
export const layerCertificateApproving = ({ mayCreate, read }: CertificateKeys) =>
  Controller.make({
    name: "csrapproving",
    queue: QUEUE,
    backoff,
    for: KIND,
    workers: WORKERS,
    onError: logFailure,
    reconcile: ({ cache, cluster }) =>
      Effect.fnUntraced(function* (key: string) {
        const request = cache(KIND).get(key)
        if (request === undefined || isIssued(request) || isDecided(request)) return
        const names = yield* Effect.mapError(
          Effect.fromResult(read(request.spec.request ?? "")),
          (message) => new CannotSign({ message: `unable to parse csr ${JSON.stringify(key)}: ${message}` })
        )
        const tried: Array<string> = []
        for (const { message, recognizes, subresource } of recognizers) {
          if (!recognizes(request, names)) continue
          tried.push(subresource)
          if (!(yield* mayCreate(request, subresource))) continue
          const approved = withCondition(request, { type: "Approved", status: "True", reason: "AutoApproved", message })
          yield* cluster.update(KIND, approved, { subresource: "approval" })
          return
        }
        if (tried.length > 0) {
          const message = `recognized csr ${JSON.stringify(key)} as [${tried.join(" ")}] but subject access review was not approved`
          return yield* new NotApproved({ message })
        }
      })
  })

/** Signs the approved requests of one signer. Upstream: pkg/controller/certificates/signer/signer.go. */
export const layerCertificateSigning = (
  { authorityOf, read, signingDurationMs }: CertificateKeys,
  { controller, fault, signerName }: KubernetesSigner
) =>
  Controller.make({
    name: controller,
    queue: QUEUE,
    backoff,
    for: KIND,
    when: ({ spec }) => spec.signerName === signerName,
    workers: WORKERS,
    reconcile: ({ cache, cluster, timers }) =>
      Effect.fnUntraced(function* (key: string) {
        const request = cache(KIND).get(key)
        const authority = authorityOf(signerName)
        if (request === undefined || authority === undefined || isIssued(request) || !isToBeSigned(request)) return
        const failWith = (doing: string) => (message: string) => new CannotSign({ message: `${doing}: ${message}` })
        const encoded = request.spec.request ?? ""
        const names = yield* Effect.mapError(
          Effect.fromResult(read(encoded)),
          failWith(`unable to parse csr ${JSON.stringify(key)}`)
        )
        const message = fault(names, request.spec.usages ?? [])
        if (message !== undefined) {
          const failed = withCondition(request, {
            type: "Failed",
            status: "True",
            reason: "SignerValidationFailure",
            message,
            lastUpdateTime: formatTime(timers.now())
          })
          yield* cluster.updateStatus(KIND, failed)
          return
        }
        const { notAfterMs, sign } = yield* Effect.mapError(authority, failWith("error auto signing csr"))
        const terms = signingTerms(request.spec, timers.now(), signingDurationMs, notAfterMs)
        const certificate = yield* Effect.fromResult(terms).pipe(
          Effect.flatMap((granted) => Effect.fromResult(sign(encoded, granted))),
          Effect.mapError(failWith("error auto signing csr"))
        )
        yield* cluster.updateStatus(KIND, { ...request, status: { ...request.status, certificate } })
      })
  })

const POLLING_MS = 3_600_000

/** Deletes old requests, once an hour. Upstream: pkg/controller/certificates/cleaner/cleaner.go. */
export const layerCertificateCleaner = ({ endOf }: Pick<CertificateKeys, "endOf">) =>
  Controller.make({
    name: "csrcleaner",
    queue: "",
    for: KIND,
    when: () => false,
    reconcile: ({ cache, cluster, queue, timers }) => {
      queue.add("")
      const removal = (request: CertificateSigningRequest) =>
        cluster.delete(KIND, { name: request.metadata.name ?? "" }).pipe(
          Effect.catchIf(isNotFound, () => Effect.void),
          Effect.catch((error) =>
            Effect.logError("Error while attempting to clean CSR").pipe(
              Effect.annotateLogs({ csr: request.metadata.name ?? "", error: error.message })
            )
          )
        )
      return Effect.fnUntraced(function* (key: string) {
        for (const request of cache(KIND).list()) {
          if (isPastDeadline(request, timers.now(), endOf)) yield* removal(request)
        }
        queue.addAfter(key, POLLING_MS)
      })
    }
  })
