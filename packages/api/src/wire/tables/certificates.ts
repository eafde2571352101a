import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/certificates/v1/{types.go,generated.proto}. */
export const certificates: Table = {
  package: "io.k8s.api.certificates.v1",
  group: "certificates.k8s.io",
  messages: `
CertificateSigningRequest kind hasList # A request for a certificate, who approved or denied it, and the certificate.
  metadata 1 meta.ObjectMeta byValue
  spec 2 CertificateSigningRequestSpec required byValue
  status 3 CertificateSigningRequestStatus byValue
CertificateSigningRequestSpec
  request 1 bytes required # A PKCS #10 request in PEM.
  signerName 7 string required # Who signs: a domain and a path such as kubernetes.io/kube-apiserver-client.
  expirationSeconds 8 int32 pointer # How long the certificate should be valid; the signer may choose another time.
  usages 5 []string listType=atomic namedEnum=KeyUsage
  username 2 string
  uid 3 string
  groups 4 []string listType=atomic
  extra 6 map[string][]string
CertificateSigningRequestStatus
  conditions 1 []CertificateSigningRequestCondition listType=map listMapKeys=type
  certificate 2 bytes
CertificateSigningRequestCondition
  type 1 string required
  status 6 string required
  reason 2 string
  message 3 string
  lastUpdateTime 4 Time
  lastTransitionTime 5 Time
`
}
