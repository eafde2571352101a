import type { FrontProxyOptions } from "@rollcall/api-server/security"
import { readText } from "@rollcall/files"
import { type FlagValues, flag } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

export type FrontProxies = FrontProxyOptions

/** The proxies that may say who asks by default. Upstream: kubeadm's `--requestheader-*` flags. */
export const frontProxiesOf = (authorityPem: string): FrontProxies => ({
  authorityPem,
  allowedNames: ["front-proxy-client"],
  userHeaders: ["X-Remote-User"],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"]
})

/** The flags of other proxies than that of the cluster's folder. */
export const frontProxyFlags = {
  "requestheader-client-ca-file": flag.text(
    "",
    "a file with the authorities that sign the certificates of proxies, whose headers name users (default: front-proxy-ca in the cluster's folder, with kubeadm's headers)"
  ),
  "requestheader-allowed-names": flag.texts("the common names of proxies (default: any)"),
  "requestheader-username-headers": flag.texts("the headers of proxies with the user: X-Remote-User"),
  "requestheader-uid-headers": flag.texts("the headers of proxies with the UID of the user: X-Remote-Uid"),
  "requestheader-group-headers": flag.texts("the headers of proxies with the groups of the user: X-Remote-Group"),
  "requestheader-extra-headers-prefix": flag.texts(
    "the beginnings of the headers of proxies with more about the user: X-Remote-Extra-"
  )
} as const

type Values = FlagValues<typeof frontProxyFlags>

const listFlags = [
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
  "requestheader-allowed-names"
] as const

/** The most bytes of a bundle of authorities. */
const MAX_BYTES = 1 << 20

/**
 * Reads the flags of proxies; undefined if they name no authorities. Upstream:
 * apiserver/pkg/server/options/authentication.go.
 */
export const flaggedProxies = Effect.fnUntraced(function* (
  values: Values
): Effect.fn.Return<FrontProxies | undefined, InvalidInput> {
  for (const name of listFlags) {
    const blank = values[name].find((value) => value.trim() === "")
    if (blank === undefined) continue
    return yield* invalid("command line", `--${name}`, `found ${JSON.stringify(blank)}, expected a name`)
  }
  const uidHeaders = values["requestheader-uid-headers"]
  if (uidHeaders.length > 0 && !uidHeaders.some((name) => name.toLowerCase() === "x-remote-uid")) {
    const message = "is set without the standard header X-Remote-Uid, by which aggregated API servers know users"
    return yield* invalid("command line", "--requestheader-uid-headers", message)
  }
  const file = values["requestheader-client-ca-file"]
  if (file === "") return undefined
  const authorityPem = yield* Effect.mapError(readText(file, MAX_BYTES), ({ message }) => invalid(file, "", message))
  if (!authorityPem.includes("-----BEGIN CERTIFICATE-----"))
    return yield* invalid(file, "", "expected certificates in PEM")
  return {
    authorityPem,
    allowedNames: values["requestheader-allowed-names"],
    userHeaders: values["requestheader-username-headers"],
    uidHeaders,
    groupHeaders: values["requestheader-group-headers"],
    extraPrefixes: values["requestheader-extra-headers-prefix"]
  }
})
