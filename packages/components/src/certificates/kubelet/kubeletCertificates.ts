import { fromConnection } from "@rollcall/cluster"
import { type ClientConfig, KubeClient } from "@rollcall/kube-client"
import { openCertificateStore } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import type { KubeletStart } from "../../programs/kubeletSettings.ts"
import { bootstrapKubelet } from "./bootstrap.ts"
import { keepCertificate, rotatedClient, rotatedServing } from "./rotation.ts"

/** The flags of a kubelet about its certificates. */
export interface CertificateFlags {
  readonly "bootstrap-kubeconfig"?: unknown
  readonly "cert-dir"?: unknown
  readonly kubeconfig: string
}

const DEFAULT_FOLDER = "/var/lib/kubelet/pki"

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise

/**
 * What a kubelet does for its own certificates: it requests the first one with its bootstrap kubeconfig, and renews them
 * as its configuration asks. Upstream: cmd/kubelet/app/server.go, buildKubeletClientConfig.
 */
export const kubeletCertificates = (
  values: CertificateFlags,
  { configuration: { rotateCertificates = false, serverTLSBootstrap = false }, name: node }: KubeletStart,
  userAgent: string
) => {
  const folder = textOr(values["cert-dir"], DEFAULT_FOLDER)
  const bootstrapFile = textOr(values["bootstrap-kubeconfig"], "")
  const client = openCertificateStore(folder, "kubelet-client")
  const { currentPath } = client
  return {
    bootstrap:
      bootstrapFile === ""
        ? Effect.void
        : bootstrapKubelet({
            bootstrapFile,
            file: values.kubeconfig,
            node,
            rotates: rotateCertificates,
            store: client,
            userAgent
          }),
    /** The configuration of the kubelet's client, which follows the certificate that is renewed. */
    follow: (config: ClientConfig): ClientConfig =>
      rotateCertificates && config.tls.cert !== undefined
        ? { ...config, auth: { type: "certificateFiles", cert: currentPath, key: currentPath } }
        : config,
    /** Renews certificates as long as the scope lives. */
    keep: Effect.gen(function* () {
      const cluster = fromConnection((yield* KubeClient).connection)
      if (rotateCertificates) yield* Effect.forkScoped(keepCertificate(cluster, rotatedClient(node, client)))
      if (serverTLSBootstrap) {
        const serving = rotatedServing(cluster, node, openCertificateStore(folder, "kubelet-server"))
        yield* Effect.forkScoped(keepCertificate(cluster, serving))
      }
    })
  }
}
