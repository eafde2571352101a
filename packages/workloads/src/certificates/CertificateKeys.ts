import type { CertificateSigningRequest } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

/** The names in a certificate request. */
export interface RequestNames {
  readonly commonName: string
  readonly organizations: ReadonlyArray<string>
  readonly dnsNames: ReadonlyArray<string>
  readonly emailAddresses: ReadonlyArray<string>
  readonly ipAddresses: ReadonlyArray<string>
  readonly uris: ReadonlyArray<string>
}

/** How a request is signed: the usages, when the certificate starts, and how long it is valid at most. */
export interface SigningTerms {
  readonly usages: ReadonlyArray<string>
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** The certificate and the key of an authority, as the program that holds them uses them. */
export interface SigningAuthority {
  /** When the authority's own certificate ends, in milliseconds since the epoch. */
  readonly notAfterMs: number
  /** Signs a request in base64 and returns the certificate in base64, or why it cannot. */
  readonly sign: (request: string, terms: SigningTerms) => Result.Result<string, string>
}

/** What the certificate controllers need of the program that runs them: it reads requests and holds keys. */
export interface CertificateKeys {
  /** Returns the names of a request in base64, or why it is none. */
  readonly read: (request: string) => Result.Result<RequestNames, string>
  /** Returns when a certificate in base64 ends, in milliseconds since the epoch; undefined if it is none. */
  readonly endOf: (certificate: string) => number | undefined
  /** Returns the authority of a signer; undefined if the signer has none and does not sign. */
  readonly authorityOf: (signerName: string) => Effect.Effect<SigningAuthority, string> | undefined
  /** `--cluster-signing-duration`: the longest validity, in milliseconds. */
  readonly signingDurationMs: number
  /** Whether the requestor may create this subresource of certificatesigningrequests. */
  readonly mayCreate: (request: CertificateSigningRequest, subresource: string) => Effect.Effect<boolean, ClusterError>
}
