import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type InvalidInput, invalid } from "@rollcall/input"
import { type KeyAndCertificate, selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"

/** The flags of a secure port's certificate. Upstream: apiserver/pkg/server/options/serving.go. */
export interface CertificateFlags {
  readonly "bind-address": string
  readonly "cert-dir": string
  readonly "tls-cert-file": string
  readonly "tls-private-key-file": string
}

const OWN_FILE = 0o600

/**
 * Returns the certificate of a secure port: that of --tls-cert-file and --tls-private-key-file; or that of --cert-dir,
 * made if it is not there yet; or one in memory.
 */
export const servingPair = (
  flags: CertificateFlags,
  component: string,
  nowMs: number
): Effect.Effect<KeyAndCertificate, InvalidInput> =>
  Effect.try({
    try: () => pairOf(flags, component, nowMs),
    catch: (error) => invalid("command line", "--tls-cert-file", error instanceof Error ? error.message : String(error))
  })

const pairOf = (flags: CertificateFlags, component: string, nowMs: number): KeyAndCertificate => {
  const [certFile, keyFile, folder] = [flags["tls-cert-file"], flags["tls-private-key-file"], flags["cert-dir"]]
  if (certFile !== "" || keyFile !== "") {
    if (certFile === "" || keyFile === "")
      throw new Error("--tls-cert-file and --tls-private-key-file must be given together")
    return readPair(certFile, keyFile)
  }
  const make = () => selfSigned([flags["bind-address"]], nowMs)
  if (folder === "") return make()
  const [ownCert, ownKey] = [join(folder, `${component}.crt`), join(folder, `${component}.key`)]
  if (existsSync(ownCert) && existsSync(ownKey)) return readPair(ownCert, ownKey)
  const made = make()
  mkdirSync(folder, { recursive: true })
  writeFileSync(ownCert, made.certificatePem)
  writeFileSync(ownKey, made.keyPem, { mode: OWN_FILE })
  return made
}

const readPair = (certFile: string, keyFile: string): KeyAndCertificate => ({
  certificatePem: readFileSync(certFile, "utf8"),
  keyPem: readFileSync(keyFile, "utf8")
})
