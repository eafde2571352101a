import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** With what a registry lets someone in. */
export interface RegistryCredentials {
  readonly username: string
  readonly password: string
}

/** The credentials for registries, by the addresses of these. */
export type DockerConfig = ReadonlyMap<string, RegistryCredentials>

const UNREADABLE = "error occurred while trying to unmarshal json"
const textOf = (given: unknown): string => (typeof given === "string" ? given : "")

/** Reads the field `auth`: user name and password, joined by a colon, in base64. Upstream: decodeDockerConfigFieldAuth. */
const authOf = (auth: string): Result.Result<RegistryCredentials, string> => {
  const decoded = Base64.decodeString(auth.padEnd(Math.ceil(auth.length / 4) * 4, "="))
  if (Result.isFailure(decoded)) return Result.fail("illegal base64 data")
  const [username = "", ...password] = decoded.success.split(":")
  return password.length === 0
    ? Result.fail("unable to parse auth field, must be formatted as base64(username:password)")
    : Result.succeed({ username, password: password.join(":") })
}

const entryOf = (given: unknown): Result.Result<RegistryCredentials, string> => {
  if (!Predicate.isReadonlyObject(given)) return Result.fail(UNREADABLE)
  const { auth, password, username } = given as Readonly<Record<string, unknown>>
  return textOf(auth) === ""
    ? Result.succeed({ username: textOf(username), password: textOf(password) })
    : authOf(textOf(auth))
}

const configOf = (entries: unknown): Result.Result<DockerConfig, string> => {
  const config = new Map<string, RegistryCredentials>()
  if (entries === undefined || entries === null) return Result.succeed(config)
  if (!Predicate.isReadonlyObject(entries)) return Result.fail(UNREADABLE)
  for (const [registry, given] of Object.entries(entries)) {
    const entry = entryOf(given)
    if (Result.isFailure(entry)) return Result.fail(entry.failure)
    config.set(registry, entry.success)
  }
  return Result.succeed(config)
}

const parsed = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => UNREADABLE })

/** Reads a Secret's `.dockercfg`. Upstream: pkg/credentialprovider/config.go. */
export const readDockerCfg = (text: string): Result.Result<DockerConfig, string> =>
  Result.flatMap(parsed(text), configOf)

/** Reads a Secret's `.dockerconfigjson`. */
export const readDockerConfigJson = (text: string): Result.Result<DockerConfig, string> =>
  Result.flatMap(parsed(text), (given) =>
    Predicate.isReadonlyObject(given)
      ? configOf((given as { readonly auths?: unknown }).auths)
      : Result.fail(UNREADABLE)
  )
