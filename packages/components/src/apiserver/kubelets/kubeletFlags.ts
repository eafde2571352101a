import { createSecureContext } from "node:tls"
import { readText } from "@rollcall/files"
import { type FlagValues, flag } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { KeyAndCertificate } from "@rollcall/pki"
import * as Effect from "effect/Effect"

/** The flags of the connection to kubelets. Upstream: cmd/kube-apiserver/app/options/options.go. */
export const kubeletClientFlags = {
  "kubelet-client-certificate": flag.text(
    "",
    "Path to a client cert file for TLS (default: one of the cluster's authority for kube-apiserver-kubelet-client)"
  ),
  "kubelet-client-key": flag.text("", "Path to a client key file for TLS."),
  "kubelet-certificate-authority": flag.text(
    "",
    "Path to a cert file for the certificate authority (default: the certificates of kubelets are not verified)"
  ),
  "kubelet-preferred-address-types": flag.texts(
    "List of the preferred NodeAddressTypes to use for kubelet connections (default: InternalIP,ExternalIP,Hostname, as kubeadm sets it)"
  ),
  "kubelet-port": flag.integer(10_250, "DEPRECATED: kubelet port.", { min: 0, max: 65_535 })
} as const

type Values = FlagValues<typeof kubeletClientFlags>

/** How kubelets of other processes are reached. */
export interface KubeletClientSettings {
  /** The certificate by which kubelets know this server; by default one of the cluster's authority. */
  readonly client?: KeyAndCertificate
  readonly authorityPem?: string
  readonly addressTypes?: ReadonlyArray<string>
  readonly port?: number
}

const MAX_BYTES = 1 << 20

const read = (file: string): Effect.Effect<string, InvalidInput> =>
  Effect.mapError(readText(file, MAX_BYTES), ({ message }) => invalid(file, "", message))

const clientOf = Effect.fnUntraced(function* (certificateFile: string, keyFile: string) {
  if (certificateFile === "" && keyFile === "") return undefined
  for (const [name, file] of [
    ["--kubelet-client-certificate", certificateFile],
    ["--kubelet-client-key", keyFile]
  ] as const) {
    if (file === "") return yield* invalid("command line", name, "a certificate needs its key: set both flags")
  }
  const pair = { certificatePem: yield* read(certificateFile), keyPem: yield* read(keyFile) }
  yield* Effect.try({
    try: () => createSecureContext({ cert: pair.certificatePem, key: pair.keyPem }),
    catch: () => invalid(certificateFile, "", `expected a certificate in PEM with the key of ${keyFile}`)
  })
  return pair
})

const knownTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"]

/** Reads how kubelets are reached, before anything starts. */
export const kubeletClientOf = Effect.fnUntraced(function* (
  values: Values
): Effect.fn.Return<KubeletClientSettings, InvalidInput> {
  const types = values["kubelet-preferred-address-types"]
  const unknown = types.find((type) => !knownTypes.includes(type))
  if (unknown !== undefined) {
    const message = `found ${JSON.stringify(unknown)}, expected ${knownTypes.join(", ")}`
    return yield* invalid("command line", "--kubelet-preferred-address-types", message)
  }
  const client = yield* clientOf(values["kubelet-client-certificate"], values["kubelet-client-key"])
  const authority = values["kubelet-certificate-authority"]
  const authorityPem = authority === "" ? undefined : yield* read(authority)
  if (authorityPem !== undefined && !authorityPem.includes("-----BEGIN CERTIFICATE-----")) {
    return yield* invalid(authority, "", "expected certificates in PEM")
  }
  return {
    ...(client === undefined ? {} : { client }),
    ...(authorityPem === undefined ? {} : { authorityPem }),
    ...(types.length === 0 ? {} : { addressTypes: types }),
    port: values["kubelet-port"]
  }
})
