import { parseTime } from "@rollcall/api"
import * as Result from "effect/Result"
import type { ExecCluster } from "../ClientConfig.ts"
import type { ExecConfig } from "../kubeconfig/Kubeconfig.ts"
import type { Credential } from "./Credentials.ts"

/** A credential returned by a plugin, and its expiry. */
export interface PluginCredential {
  readonly credential: Credential
  /** The expiry in milliseconds since the Unix epoch; Infinity if it is valid until the server rejects it. */
  readonly expiresAt: number
}

/** Returns the value of KUBERNETES_EXEC_INFO for the plugin. Upstream: client-go/pkg/apis/clientauthentication. */
export const execInfo = (exec: ExecConfig, cluster: ExecCluster, interactive: boolean): string =>
  JSON.stringify({
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo === true ? { cluster } : {}), interactive }
  })

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Parses the output of a plugin; a failure says what was found and what was expected. */
export const readExecCredential = (exec: ExecConfig, output: string): Result.Result<PluginCredential, string> => {
  let printed: Readonly<Record<string, unknown>>
  try {
    printed = record(JSON.parse(output))
  } catch {
    return Result.fail(`printed ${JSON.stringify(output.slice(0, 80))}, expected an ExecCredential in JSON`)
  }
  const { apiVersion, kind } = printed
  if (kind !== "ExecCredential") return Result.fail(`printed kind ${JSON.stringify(kind)}, expected "ExecCredential"`)
  if (apiVersion !== exec.apiVersion) {
    return Result.fail(`printed apiVersion ${JSON.stringify(apiVersion)}, expected "${exec.apiVersion}"`)
  }
  const status = record(printed.status)
  const token = textOf(status.token)
  const cert = textOf(status.clientCertificateData)
  const key = textOf(status.clientKeyData)
  if ((cert === undefined) !== (key === undefined)) {
    return Result.fail("printed only one of status.clientCertificateData and status.clientKeyData, expected both")
  }
  if (token === undefined && cert === undefined) {
    return Result.fail("printed neither status.token nor status.clientCertificateData")
  }
  const stamp = textOf(status.expirationTimestamp)
  const expiresAt = stamp === undefined ? Number.POSITIVE_INFINITY : parseTime(stamp)
  if (Number.isNaN(expiresAt)) {
    return Result.fail(`printed status.expirationTimestamp ${JSON.stringify(stamp)}, expected an RFC 3339 time`)
  }
  return Result.succeed({
    credential: {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(cert === undefined || key === undefined ? {} : { cert, key })
    },
    expiresAt
  })
}
