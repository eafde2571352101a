import type { CertificateSigningRequest } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const KIND = "CertificateSigningRequest"

/** A certificate was denied, could not be signed, or was not signed in time. */
export class CertificateNotIssued extends Data.TaggedError("CertificateNotIssued")<{ readonly message: string }> {}

/** What is asked for: the request in PEM, and how its certificate will be used. */
export interface AskedCertificate {
  /** The name of the request; without it the server makes one. */
  readonly name?: string
  readonly signerName: string
  readonly requestPem: string
  readonly usages: ReadonlyArray<string>
}

/**
 * Returns the certificate of a request once it is issued; undefined while it is not. Upstream:
 * client-go/util/certificate/csr/csr.go, WaitForCertificate.
 */
export const issuedCertificate = ({
  status = {}
}: CertificateSigningRequest): Effect.Effect<string | undefined, CertificateNotIssued> => {
  const { certificate = "", conditions = [] } = status
  const ofType = (wanted: string) => conditions.find(({ type }) => type === wanted)
  const refuse = (
    what: string,
    { message = "", reason = "" }: { readonly message?: string; readonly reason?: string }
  ) =>
    Effect.fail(
      new CertificateNotIssued({
        message: `certificate signing request ${what}, reason: ${reason}, message: ${message}`
      })
    )
  const denied = ofType("Denied")
  if (denied !== undefined) return refuse("is denied", denied)
  const failed = ofType("Failed")
  if (failed !== undefined) return refuse("failed", failed)
  const isIssued = ofType("Approved") !== undefined && certificate !== ""
  return Effect.succeed(isIssued ? Buffer.from(certificate, "base64").toString("latin1") : undefined)
}

/** Watches a request until its certificate is issued; watches again when a watch ends or breaks. */
const awaitCertificate = (cluster: ClusterShape, name: string): Effect.Effect<string, CertificateNotIssued> => {
  const once = cluster.watch(KIND, { fieldSelector: `metadata.name=${name}` }).pipe(
    Stream.filter(({ type }) => type === "ADDED" || type === "MODIFIED"),
    Stream.mapEffect(({ object }) => issuedCertificate(object as CertificateSigningRequest)),
    Stream.filter((certificate) => certificate !== undefined),
    Stream.runHead,
    Effect.map(Option.getOrUndefined)
  )
  return once.pipe(
    Effect.catchTags({ ApiError: () => Effect.undefined, ConnectionError: () => Effect.undefined }),
    Effect.repeat({ schedule: Schedule.spaced("1 second"), while: (certificate) => certificate === undefined }),
    Effect.map((certificate) => certificate ?? "")
  )
}

/** Requests a certificate and waits until it is issued, which may take as long as a person needs to approve it. */
export const requestCertificate = (
  cluster: ClusterShape,
  { name, requestPem, signerName, usages }: AskedCertificate,
  waitMs: number
): Effect.Effect<string, CertificateNotIssued | ClusterError> =>
  Effect.gen(function* () {
    const { metadata } = yield* cluster.create(KIND, {
      apiVersion: "certificates.k8s.io/v1",
      kind: KIND,
      metadata: name === undefined ? { generateName: "csr-" } : { name },
      spec: { request: Buffer.from(requestPem).toString("base64"), signerName, usages }
    })
    const created = metadata.name ?? ""
    return yield* awaitCertificate(cluster, created).pipe(
      Effect.timeoutOrElse({
        duration: waitMs,
        orElse: () =>
          Effect.fail(new CertificateNotIssued({ message: `timed out waiting for the certificate of ${created}` }))
      })
    )
  })
