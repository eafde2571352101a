// A cluster's certificate authority.

export { type KeyAndCertificate, makeKeyPem, type Subject } from "./Certificate.ts"
export {
  type CertificateRequestContent,
  CertificateRequestFault,
  readCertificateRequest
} from "./CertificateRequest.ts"
export { type CertificateStore, openCertificateStore, type StoredCertificate } from "./CertificateStore.ts"
export { certificateFault } from "./certificateFault.ts"
export { makeRequest } from "./makeRequest.ts"
export { openPki, type Pki, type PkiOptions, type SigningKey } from "./Pki.ts"
export { PkiError } from "./PkiError.ts"
export { pemBlocks } from "./pem.ts"
export { selfSigned } from "./selfSigned.ts"
export { type SigningTerms, signRequest } from "./signRequest.ts"
