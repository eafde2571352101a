import type { Kubelet } from "@rollcall/kubelet"
import { selfSigned } from "@rollcall/pki"
import { type KubeletServerOptions, kubeletServer } from "../src/serving/kubelet/kubeletServer.ts"
import { Access, type AccessOptions } from "../src/serving/secure/Access.ts"

/** Serves a kubelet on a free port with a certificate of its own; what the reviews do not allow is refused. */
export const kubeletPort = (
  serve: Kubelet["serve"],
  reviews: Pick<AccessOptions, "access" | "tokens"> & Partial<AccessOptions>,
  given: Partial<KubeletServerOptions> = {}
) => {
  const { certificatePem, keyPem } = selfSigned([], Date.now())
  return kubeletServer({
    kubelet: { name: "n1", running: true, serve },
    host: "127.0.0.1",
    port: 0,
    flagNames: { port: "--port", host: "--address" },
    certificate: () => ({ key: keyPem, cert: certificatePem }),
    clientCa: certificatePem,
    access: new Access({
      alwaysAllowed: [],
      verifiesCertificates: () => false,
      now: () => 0,
      allowedTtlMs: 1000,
      deniedTtlMs: 1000,
      tokenTtlMs: 1000,
      handleError: () => {},
      ...reviews
    }),
    allowsAnonymous: false,
    allowsAll: false,
    isFineGrained: true,
    ...given
  })
}
