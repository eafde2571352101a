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

/** What an administrator's kubeconfig follows from. */
export interface AdminOptions {
  readonly file: string
  /** Of the cluster: what it, its user and its context are called. */
  readonly name: string
  readonly url: string
  readonly pki: Pki
  /** Milliseconds since the epoch by the machine's clock: TLS judges certificates by it. */
  readonly nowMs: number
  /** The same by the server's own time, by which it ends what is done with a certificate. Another after the clock was set. */
  readonly ownMs: number
  readonly processes: Processes
}

const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString("utf8")

/** What a file has of it: its certificate if that is still good, and whether the file can stay as it is. */
const keptIn = ({ file, name, nowMs, ownMs, pki, url }: AdminOptions) =>
  Effect.map(loadKubeconfig({ file }), ({ clusters, contexts, currentContext, users }) => {
    const user = [...users.values()][0]?.entry
    const pair = {
      certificatePem: textOf(user?.["client-certificate-data"]),
      keyPem: textOf(user?.["client-key-data"])
    }
    if (![nowMs, ownMs].every((ms) => pki.isCurrent(pair, SUBJECT, ms))) return undefined
    const cluster = clusters.get(name)?.entry
    const context = contexts.get(name)?.entry
    const isSame =
      currentContext === name &&
      context?.cluster === name &&
      context.user === name &&
      users.has(name) &&
      cluster?.server === url &&
      textOf(cluster["certificate-authority-data"]) === pki.authorityPem
    return { pair, isSame }
  }).pipe(Effect.catchTag("InvalidInput", () => Effect.undefined))

/**
 * The administrator's kubeconfig, which lies in a file that is written only if it does not say the same already. A file that cannot be
 * written, on a full disk say, is no reason not to serve: it is warned of.
 */
export const adminKubeconfig = Effect.fnUntraced(function* (options: AdminOptions) {
  const { file, name, nowMs, ownMs, pki, processes, url } = options
  const kept = yield* keptIn(options)
  const [firstMs, lastMs] = [Math.min(nowMs, ownMs), Math.max(nowMs, ownMs)]
  const { certificatePem, keyPem } = kept?.pair ?? pki.clientCertificate(SUBJECT, firstMs, lastMs)
  const config: Kubeconfig = ownedKubeconfig(
    kubeconfigFor({ name, server: url, ca: pki.authorityPem, cert: certificatePem, key: keyPem }),
    { cluster: name, ...processes.self }
  )
  if (kept?.isSame === true) return config
  yield* writeKubeconfig(file, config, processes).pipe(
    Effect.catchTag("InvalidInput", ({ message }) =>
      Effect.logWarning("Cannot write the administrator's kubeconfig").pipe(
        Effect.annotateLogs({ path: file, err: message })
      )
    )
  )
  return config
})
