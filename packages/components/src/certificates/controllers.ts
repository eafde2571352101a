import type { Cluster } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import {
  type CertificateKeys,
  kubernetesSigners,
  layerBootstrapSigner,
  layerCertificateApproving,
  layerCertificateCleaner,
  layerCertificateSigning,
  layerTokenCleaner,
  waitForObject
} from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import { certificateReaders, signDetached } from "./certificateKeys.ts"

/** What decides about certificates and signs them. */
export type CertificateAuthorities = Pick<CertificateKeys, "authorityOf" | "mayCreate" | "signingDurationMs">

/** The certificate controllers and those of bootstrap tokens. Each starts with the first object that it handles. */
export const certificateControllers = (
  authorities: CertificateAuthorities,
  client: (name: string) => Layer.Layer<Cluster>,
  isEnabled: (controller: string) => boolean
): Layer.Layer<never, never, Timers> => {
  const keys: CertificateKeys = { ...certificateReaders, ...authorities }
  const signing = kubernetesSigners
    .filter(({ signerName }) => keys.authorityOf(signerName) !== undefined)
    .map((signer) => layerCertificateSigning(keys, signer))
  const ofRequests = [
    ["certificatesigningrequest-approving-controller", [layerCertificateApproving(keys)]],
    ["certificatesigningrequest-signing-controller", signing],
    ["certificatesigningrequest-cleaner-controller", [layerCertificateCleaner(keys)]]
  ] as const
  const ofTokens = [
    { controller: "token-cleaner-controller", name: "token-cleaner", layer: layerTokenCleaner },
    { controller: "bootstrap-signer-controller", name: "bootstrap-signer", layer: layerBootstrapSigner(signDetached) }
  ]
  return Layer.mergeAll(
    Layer.empty,
    ...ofRequests
      .filter(([controller]) => isEnabled(controller))
      .flatMap(([, layers]) => layers)
      .map((layer) =>
        waitForObject("CertificateSigningRequest", layer).pipe(Layer.provide(client("certificate-controller")))
      ),
    ...ofTokens
      .filter(({ controller }) => isEnabled(controller))
      .map(({ name, layer }) => waitForObject("Secret", layer).pipe(Layer.provide(client(name))))
  )
}
