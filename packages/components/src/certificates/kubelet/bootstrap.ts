import { X509Certificate } from "node:crypto"
import { fromConnection } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import {
  type ClientConfig,
  clientConfig,
  type Kubeconfig,
  loadKubeconfig,
  replaceKubeconfig
} from "@rollcall/kube-client"
import { type CertificateStore, makeKeyPem } from "@rollcall/pki"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { connectTo } from "../../clients/remote.ts"
import { Host } from "../../host/Host.ts"
import { clientCertificateOf, firstRequestName } from "./nodeCertificates.ts"
import { requestCertificate } from "./requestCertificate.ts"

/** How long a kubelet waits for its first certificate. */
const FIRST_WAIT_MS = 3_600_000

/** What a kubelet without a certificate starts from. */
export interface BootstrapOptions {
  /** The name of its node. */
  readonly node: string
  /** `--bootstrap-kubeconfig` */
  readonly bootstrapFile: string
  /** `--kubeconfig`, which is written. */
  readonly file: string
  readonly store: CertificateStore
  /** Whether the certificate is renewed later: then the server names its request. */
  readonly rotates: boolean
  readonly userAgent: string
}

const configOf = (file: string) =>
  Effect.gen(function* () {
    const { environment } = yield* Host
    const loaded = yield* loadKubeconfig({ file, kubeconfig: undefined, defaultFile: file })
    return yield* clientConfig(loaded, {
      httpsProxy: environment.HTTPS_PROXY ?? environment.https_proxy,
      httpProxy: environment.HTTP_PROXY ?? environment.http_proxy,
      noProxy: environment.NO_PROXY ?? environment.no_proxy
    })
  })

/** Whether a client certificate has not ended. */
const isValid = (certificate: string | undefined, nowMs: number): boolean => {
  try {
    return certificate !== undefined && new X509Certificate(certificate).validToDate.getTime() >= nowMs
  } catch {
    return false
  }
}

/** Returns the kubeconfig of a kubelet whose certificate is in a store. Upstream: writeKubeconfigFromBootstrapping. */
const kubeconfigOf = (
  { server, tls: { ca, insecure } }: ClientConfig,
  { currentPath }: CertificateStore
): Kubeconfig => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [
    {
      name: "default-cluster",
      cluster: {
        server,
        ...(insecure === true ? { "insecure-skip-tls-verify": true } : {}),
        ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") })
      }
    }
  ],
  contexts: [
    { name: "default-context", context: { cluster: "default-cluster", namespace: "default", user: "default-auth" } }
  ],
  "current-context": "default-context",
  users: [{ name: "default-auth", user: { "client-certificate": currentPath, "client-key": currentPath } }]
})

/**
 * Gives a kubelet without a valid client certificate one, and the kubeconfig that names it: it requests the certificate as
 * the user of its bootstrap kubeconfig. Upstream: pkg/kubelet/certificate/bootstrap/bootstrap.go.
 */
export const bootstrapKubelet = Effect.fnUntraced(function* ({
  bootstrapFile,
  file,
  node,
  rotates,
  store,
  userAgent
}: BootstrapOptions) {
  if (file === "") {
    return yield* invalid("command line", "--bootstrap-kubeconfig", "needs --kubeconfig, the file that it writes")
  }
  const { now } = yield* Timers
  const existing = yield* Effect.option(configOf(file))
  if (existing._tag === "Some" && isValid(existing.value.tls.cert, now())) return
  const bootstrap = yield* configOf(bootstrapFile)
  const keyPem = makeKeyPem()
  const name = rotates ? {} : { name: firstRequestName(node, keyPem) }
  yield* Effect.logInfo("Requesting a client certificate").pipe(Effect.annotateLogs({ node }))
  const certificatePem = yield* Effect.scoped(
    Effect.flatMap(connectTo(bootstrap, userAgent), (connection) =>
      requestCertificate(fromConnection(connection), { ...clientCertificateOf(node, keyPem), ...name }, FIRST_WAIT_MS)
    )
  ).pipe(Effect.mapError(({ message }) => invalid(bootstrapFile, "", `no client certificate for ${node}: ${message}`)))
  yield* store
    .update({ certificatePem, keyPem }, now())
    .pipe(Effect.mapError(({ message }) => invalid("command line", "--cert-dir", message)))
  yield* replaceKubeconfig(file, kubeconfigOf(bootstrap, store))
})
