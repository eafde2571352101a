import { parseDuration } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { DockerConfig } from "./dockerConfig.ts"

/** What a plugin is asked. */
export interface PluginRequest {
  readonly image: string
  readonly serviceAccountToken?: string
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>>
}

/** For which images the answer of a plugin holds. */
export type CacheKeyType = "Image" | "Registry" | "Global"

export interface PluginResponse {
  readonly cacheKeyType: string
  /** How long the answer holds; undefined for the plugin's default. */
  readonly cacheMs: number | undefined
  readonly config: DockerConfig
}

/** Returns what a plugin reads: a CredentialProviderRequest. Upstream: plugin.go, encodeRequest. */
export const requestText = (apiVersion: string, request: PluginRequest): string => {
  const { image, serviceAccountAnnotations: annotations = {}, serviceAccountToken = "" } = request
  const body = {
    kind: "CredentialProviderRequest",
    apiVersion,
    image,
    ...(serviceAccountToken === "" ? {} : { serviceAccountToken }),
    ...(Object.keys(annotations).length === 0 ? {} : { serviceAccountAnnotations: annotations })
  }
  return `${JSON.stringify(body)}\n`
}

/** The error of a response that cannot be read, which does not quote it: it may have credentials. */
const UNREADABLE = "error decoding credential provider plugin response from stdout"
const known = ["apiVersion", "auth", "cacheDuration", "cacheKeyType", "kind"]

const parsed = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

const configOf = (auth: unknown): DockerConfig | undefined => {
  if (auth === undefined || auth === null) return new Map()
  if (!Predicate.isReadonlyObject(auth)) return undefined
  const config = new Map<string, { readonly username: string; readonly password: string }>()
  for (const [registry, given] of Object.entries(auth)) {
    const { password = "", username = "", ...others } = (given ?? {}) as Readonly<Record<string, unknown>>
    if (typeof username !== "string" || typeof password !== "string" || Object.keys(others).length > 0) return undefined
    config.set(registry, { username, password })
  }
  return config
}

/** Reads the answer of a plugin: a CredentialProviderResponse of the version that it was asked with. Upstream: ExecPlugin. */
export const readResponse = (apiVersion: string, text: string): Result.Result<PluginResponse, string> => {
  const body = parsed(text)
  if (!Predicate.isReadonlyObject(body)) {
    return Result.fail("error reading GVK from response: couldn't get version/kind; json parse error")
  }
  const given = body as Readonly<Record<string, unknown>>
  const actual = String(given.apiVersion ?? "")
  if (actual !== apiVersion) {
    return Result.fail(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${actual}`
    )
  }
  const { auth, cacheDuration, cacheKeyType = "", kind } = given
  const config = configOf(auth)
  const cacheMs = typeof cacheDuration === "string" ? parseDuration(cacheDuration) : undefined
  const isReadable =
    kind === "CredentialProviderResponse" &&
    typeof cacheKeyType === "string" &&
    (cacheDuration === undefined || cacheDuration === null || typeof cacheDuration === "string") &&
    !Number.isNaN(cacheMs) &&
    Object.keys(given).every((name) => known.includes(name))
  return config === undefined || !isReadable
    ? Result.fail(UNREADABLE)
    : Result.succeed({ cacheKeyType: String(cacheKeyType), cacheMs, config })
}
