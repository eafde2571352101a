import { createPrivateKey, X509Certificate } from "node:crypto"
import { ConnectionError } from "@rollcall/cluster"
import { readRegularText } from "@rollcall/files"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Auth, ClientConfig, Impersonation } from "../ClientConfig.ts"
import type { Headers } from "../http/RawRequest.ts"
import { MAX_PEM_BYTES, MAX_TOKEN_BYTES } from "../kubeconfig/limits.ts"
import { bearer, type Credential, type Credentials } from "./Credentials.ts"
import { type ExecOptions, execCredentials } from "./execCredentials.ts"
import { fetchedTokens } from "./fetchedTokens.ts"

const REREAD_AFTER_MS = 60_000

const constant = (credential: Credential): Credentials => {
  const known = Result.succeed(credential)
  return { use: (take) => take(known), rejected: () => undefined }
}

/** A token from a file that is read again each minute; when the file is missing, the last token stays in use. */
const tokenFile = (auth: Extract<Auth, { type: "tokenFile" }>, timers: TimersShape): Credentials => {
  let lastCredential = auth.token === undefined ? undefined : bearer(auth.token)
  let readAt = Number.NEGATIVE_INFINITY
  const read = (): Result.Result<Credential, ConnectionError> => {
    try {
      const token = readRegularText(auth.file, MAX_TOKEN_BYTES).trim()
      if (token === "") return fail("is empty, expected a token")
      readAt = timers.now()
      lastCredential = bearer(token)
      return Result.succeed(lastCredential)
    } catch (cause) {
      return fail(cause instanceof Error ? cause.message : String(cause))
    }
  }
  const fail = (what: string): Result.Result<Credential, ConnectionError> =>
    lastCredential !== undefined
      ? Result.succeed(lastCredential)
      : Result.fail(new ConnectionError({ message: `the token file ${auth.file}: ${what}` }))
  return {
    use: (take) =>
      take(
        lastCredential !== undefined && timers.now() - readAt < REREAD_AFTER_MS
          ? Result.succeed(lastCredential)
          : read()
      ),
    rejected: () => {
      readAt = Number.NEGATIVE_INFINITY
    }
  }
}

/**
 * A client certificate from files that are read again each minute; when they are missing, the last one stays in use.
 * Upstream: client-go/transport/cert_rotation.go.
 */
const certificateFiles = (
  { cert: certFile, key: keyFile }: Extract<Auth, { type: "certificateFiles" }>,
  timers: TimersShape
): Credentials => {
  let last: Credential = { headers: {} }
  let readAt = Number.NEGATIVE_INFINITY
  const read = (): Credential => {
    readAt = timers.now()
    try {
      const cert = readRegularText(certFile, MAX_PEM_BYTES)
      const key = certFile === keyFile ? cert : readRegularText(keyFile, MAX_PEM_BYTES)
      const isWhole = isPairOf(cert, key)
      if (isWhole && cert !== last.cert) last = { headers: {}, cert, key }
    } catch {
      // Files that are just being replaced.
    }
    return last
  }
  return {
    use: (take) => take(Result.succeed(timers.now() - readAt < REREAD_AFTER_MS ? last : read())),
    rejected: () => {
      readAt = Number.NEGATIVE_INFINITY
    }
  }
}

/** Whether a key is that of a certificate; not between the writes of the two files. */
const isPairOf = (cert: string, key: string): boolean =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))

/** Returns the impersonation headers. Upstream: client-go/transport/round_trippers.go. */
export const impersonationHeaders = ({ extra = {}, groups = [], uid, user }: Impersonation): Headers => ({
  "impersonate-user": user,
  ...(uid === undefined ? {} : { "impersonate-uid": uid }),
  ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
  ...Object.fromEntries(
    Object.entries(extra).map(([name, values]) => [
      `impersonate-extra-${encodeURIComponent(name.toLowerCase())}`,
      values
    ])
  )
})

/** Makes the credential source of a configuration. */
export const makeCredentials = (config: ClientConfig, timers: TimersShape, exec: ExecOptions): Credentials => {
  const { auth } = config
  switch (auth.type) {
    case "none":
      return constant({ headers: {} })
    case "token":
      return constant(bearer(auth.token))
    case "basic":
      return constant({
        headers: {
          authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`
        }
      })
    case "tokenFile":
      return tokenFile(auth, timers)
    case "certificateFiles":
      return certificateFiles(auth, timers)
    case "fetched":
      return fetchedTokens(auth.fetch, timers)
    case "exec":
      return execCredentials(auth, timers, exec)
  }
}
