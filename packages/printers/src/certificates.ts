import type { CertificateSigningRequest } from "@rollcall/api"
import { humanDuration } from "@rollcall/api/printing"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const stateOf = ({ status }: CertificateSigningRequest): string => {
  const types = (status?.conditions ?? []).map(({ type }) => type)
  const approval = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending"
  return [approval, ...(types.includes("Failed") ? ["Failed"] : []), ...(status?.certificate ? ["Issued"] : [])].join(
    ","
  )
}

/** Upstream: pkg/printers/internalversion/printers.go, printCertificateSigningRequest. */
export const certificateSigningRequests: Printer = printer<CertificateSigningRequest>(
  nameColumn,
  ageColumn,
  column("SignerName", "string", "Who is to sign the certificate.", ({ spec }) => spec.signerName || "<none>"),
  column("Requestor", "string", "The user that made the request.", ({ spec }) => spec.username ?? ""),
  column("RequestedDuration", "string", "How long the certificate should be valid.", ({ spec }) =>
    spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000)
  ),
  column("Condition", "string", "Whether it is approved, and a certificate issued.", stateOf)
)
