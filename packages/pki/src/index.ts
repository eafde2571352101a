export { type KeyAndCertificate, publicKeyPem, type Subject } from "./Certificate.ts"
export { openPki, type Pki, type PkiOptions, type SigningKey, serverNames } from "./Pki.ts"
export { PkiError } from "./PkiError.ts"
