import type { Secret } from "@rollcall/api"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type DockerConfig, readDockerCfg, readDockerConfigJson } from "./dockerConfig.ts"
import { Keyring } from "./Keyring.ts"

const readers: Readonly<Record<string, readonly [key: string, read: typeof readDockerCfg]>> = {
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson", readDockerConfigJson],
  "kubernetes.io/dockercfg": [".dockercfg", readDockerCfg]
}

const configIn = ({ data = {}, type = "" }: Secret): Result.Result<DockerConfig | undefined, string> => {
  const [key, read] = readers[type] ?? []
  const text = key === undefined ? undefined : data[key]
  if (read === undefined || text === undefined || text === "") return Result.succeed(undefined)
  const decoded = Base64.decodeString(text)
  return Result.isFailure(decoded) ? Result.fail("illegal base64 data") : read(decoded.success)
}

/**
 * Returns the credentials that pull secrets have. A Secret of another type has none; one that cannot be read fails.
 * Upstream: pkg/credentialprovider/secrets/secrets.go, MakeDockerKeyring.
 */
export const keyringOf = (secrets: ReadonlyArray<Secret>): Result.Result<Keyring, string> => {
  const keyring = new Keyring()
  for (const secret of secrets) {
    const config = configIn(secret)
    if (Result.isFailure(config)) return Result.fail(config.failure)
    const { name = "", namespace = "", uid = "" } = secret.metadata
    if (config.success !== undefined) keyring.add(config.success, { secret: { uid, namespace, name, hash: "" } })
  }
  return Result.succeed(keyring)
}
