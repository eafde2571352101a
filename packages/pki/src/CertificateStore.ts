import { X509Certificate } from "node:crypto"
import { lstatSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { formatTime } from "@rollcall/api"
import * as Effect from "effect/Effect"
import type { KeyAndCertificate } from "./Certificate.ts"
import { makeOwnFolder, readOwn, syncFolder, writeOwn } from "./files.ts"
import { PkiError } from "./PkiError.ts"
import { pemBlocks } from "./pem.ts"

/** A certificate with its key, and when it is valid. */
export interface StoredCertificate extends KeyAndCertificate {
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** The DNS names and addresses of the certificate, sorted. */
  readonly names: ReadonlyArray<string>
}

/** A folder with the certificates that a kubelet was given, of which one is in use. */
export interface CertificateStore {
  /** The path of the certificate in use, and of its key: one file with both. */
  readonly currentPath: string
  /** Returns the certificate in use; undefined if there is none, or if the file cannot be read. */
  readonly current: Effect.Effect<StoredCertificate | undefined>
  readonly update: (pair: KeyAndCertificate, nowMs: number) => Effect.Effect<void, PkiError>
}

const namesOf = ({ subjectAltName = "" }: X509Certificate): ReadonlyArray<string> =>
  [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = ""]) => name).toSorted()

const textBetween = (text: string, type: RegExp): string =>
  [...text.matchAll(/-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----\n?/g)]
    .filter(([, found = ""]) => type.test(found))
    .map(([block]) => block)
    .join("")

/** Reads a file with a certificate and its key. */
export const readPair = (text: string): StoredCertificate | undefined => {
  const certificatePem = textBetween(text, /^CERTIFICATE$/)
  const keyPem = textBetween(text, /PRIVATE KEY$/)
  const [first] = pemBlocks(certificatePem)
  if (first === undefined || keyPem === "") return undefined
  const certificate = new X509Certificate(first.bytes)
  const { validFromDate, validToDate } = certificate
  return {
    certificatePem,
    keyPem,
    notBeforeMs: validFromDate.getTime(),
    notAfterMs: validToDate.getTime(),
    names: namesOf(certificate)
  }
}

/** Points a symbolic link at a file, atomically. */
const link = (path: string, target: string): void => {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status !== undefined && !status.isSymbolicLink()) throw new Error(`${path} is not a symbolic link`)
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  symlinkSync(target, temporary)
  renameSync(temporary, path)
}

/**
 * Opens the store of a folder: a file for each certificate, and a symbolic link to the one in use. Upstream:
 * client-go/util/certificate/certificate_store.go.
 */
export const openCertificateStore = (folder: string, prefix: string): CertificateStore => {
  const currentPath = resolve(folder, `${prefix}-current.pem`)
  return {
    currentPath,
    current: Effect.sync(() => {
      try {
        return readPair(readOwn(currentPath) ?? "")
      } catch {
        return undefined
      }
    }),
    update: ({ certificatePem, keyPem }, nowMs) =>
      Effect.try({
        try: () => {
          makeOwnFolder(folder)
          const time = formatTime(nowMs).slice(0, 19).replace(/[T:]/g, "-")
          const file = resolve(folder, join(`${prefix}-${time}.pem`))
          writeOwn(file, `${certificatePem}${keyPem}`)
          link(currentPath, file)
          syncFolder(folder)
        },
        catch: (cause) =>
          cause instanceof PkiError ? cause : new PkiError({ file: currentPath, message: String(cause) })
      })
  }
}
