import {
  type Kubeconfig,
  kubeconfigFor,
  loadKubeconfig,
  ownedKubeconfig,
  type Processes,
  writeKubeconfig
} from "@rollcall/kube-client"
import type { Pki } from "@rollcall/pki"
import * as Effect from "effect/Effect"

const USER = "kubernetes-admin"
const SUBJECT = { commonName: USER, organizations: ["system:masters"] }

/** The inputs of an administrator's kubeconfig. */
export interface AdminOptions {
  readonly file: string
  /** The name of the cluster, its user and its context. */
  readonly name: string
  readonly url: string
  readonly pki: Pki
  /** The machine's clock, in milliseconds since the epoch: TLS checks certificates against it. */
  readonly nowMs: number
  /**
   * The server's own time, by which it ends the requests of a certificate. It differs after the machine's clock was
   * set.
   */
  readonly ownMs: number
  readonly processes: Processes
}

const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString("utf8")

/**
 * Returns the certificate in an existing file, and whether the whole file is up to date; undefined if there is no valid
 * one.
 */
const readExisting = ({ file, name, nowMs, ownMs, pki, url }: AdminOptions) =>
  Effect.map(loadKubeconfig({ file }), ({ clusters, contexts, currentContext, users }) => {
    const user = [...users.values()][0]?.entry
    const certificate = {
      certificatePem: textOf(user?.["client-certificate-data"]),
      keyPem: textOf(user?.["client-key-data"])
    }
    if (![nowMs, ownMs].every((ms) => pki.isCurrent(certificate, SUBJECT, ms))) return undefined
    const cluster = clusters.get(name)?.entry
    const context = contexts.get(name)?.entry
    const isUpToDate =
      currentContext === name &&
      context?.cluster === name &&
      context.user === name &&
      users.has(name) &&
      cluster?.server === url &&
      textOf(cluster["certificate-authority-data"]) === pki.authorityPem
    return { certificate, isUpToDate }
  }).pipe(Effect.catchTag("InvalidInput", () => Effect.undefined))

/**
 * Returns the administrator's kubeconfig, and writes its file if that is not up to date. A file that cannot be
 * written, for example on a full disk, does not stop the server: it logs a warning.
 */
export const adminKubeconfig = Effect.fnUntraced(function* (options: AdminOptions) {
  const { file, name, nowMs, ownMs, pki, processes, url } = options
  const existing = yield* readExisting(options)
  const [firstMs, lastMs] = [Math.min(nowMs, ownMs), Math.max(nowMs, ownMs)]
  const { certificatePem, keyPem } = existing?.certificate ?? pki.clientCertificate(SUBJECT, firstMs, lastMs)
  const config: Kubeconfig = ownedKubeconfig(
    kubeconfigFor({ name, server: url, ca: pki.authorityPem, cert: certificatePem, key: keyPem }),
    { cluster: name, ...processes.self }
  )
  if (existing?.isUpToDate === true) return config
  yield* writeKubeconfig(file, config, processes).pipe(
    Effect.catchTag("InvalidInput", ({ message }) =>
      Effect.logWarning("Cannot write the administrator's kubeconfig").pipe(
        Effect.annotateLogs({ path: file, err: message })
      )
    )
  )
  return config
})
