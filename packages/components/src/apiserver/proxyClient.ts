import { createSecureContext } from "node:tls"
import { readText } from "@rollcall/files"
import { type FlagValues, flag } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { KeyAndCertificate } from "@rollcall/pki"
import * as Effect from "effect/Effect"

/** The flags of the certificate by which aggregated API servers trust this one to name users. */
export const proxyClientFlags = {
  "proxy-client-cert-file": flag.text(
    "",
    "a file with the certificate by which aggregated API servers know this one (default: that of front-proxy-client in the cluster's folder)"
  ),
  "proxy-client-key-file": flag.text("", "a file with the key of --proxy-client-cert-file")
} as const

const MAX_BYTES = 1 << 20

/** Reads the certificate and its key; undefined without the flags. */
export const proxyClientOf = Effect.fnUntraced(function* (
  values: FlagValues<typeof proxyClientFlags>
): Effect.fn.Return<KeyAndCertificate | undefined, InvalidInput> {
  const certificateFile = values["proxy-client-cert-file"]
  const keyFile = values["proxy-client-key-file"]
  if (certificateFile === "" && keyFile === "") return undefined
  for (const [name, file] of [
    ["--proxy-client-cert-file", certificateFile],
    ["--proxy-client-key-file", keyFile]
  ] as const) {
    if (file === "") return yield* invalid("command line", name, "a certificate needs its key: set both flags")
  }
  const read = (file: string) => Effect.mapError(readText(file, MAX_BYTES), ({ message }) => invalid(file, "", message))
  const certificatePem = yield* read(certificateFile)
  const keyPem = yield* read(keyFile)
  yield* Effect.try({
    try: () => createSecureContext({ cert: certificatePem, key: keyPem }),
    catch: () => invalid(certificateFile, "", `expected a certificate in PEM with the key of ${keyFile}`)
  })
  return { certificatePem, keyPem }
})
