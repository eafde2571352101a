import { parseDuration } from "@rollcall/api"
import { checkStrictly, type InvalidInput, invalid } from "@rollcall/input"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { CredentialProviderConfig, type GivenProvider } from "./providerSchema.ts"
import { providerProblems } from "./validateProviders.ts"

/** Whose token a plugin gets with the request. */
export interface TokenAttributes {
  readonly audience: string
  readonly cacheType: "Token" | "ServiceAccount"
  readonly requireServiceAccount: boolean
  readonly requiredAnnotations: ReadonlyArray<string>
  readonly optionalAnnotations: ReadonlyArray<string>
}

/** A plugin that has credentials for registries. */
export interface CredentialProvider {
  readonly name: string
  readonly matchImages: ReadonlyArray<string>
  readonly defaultCacheMs: number
  readonly apiVersion: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>
  /** Absent if it gets no token. */
  readonly token?: TokenAttributes
}

const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `kubelet.config.k8s.io/${version}`)
const KIND = "CredentialProviderConfig"

/** Returns a value without fields that are null. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)] as const]))
  )
}

/** Reads the plugins of one file of `--image-credential-provider-config`. Upstream: plugin/config.go, decode. */
export const decodeProviders = (
  file: string,
  value: unknown
): Result.Result<ReadonlyArray<GivenProvider>, InvalidInput> => {
  const { apiVersion, kind } = (Predicate.isReadonlyObject(value) ? value : {}) as Readonly<Record<string, unknown>>
  if (kind !== KIND || !versions.some((version) => version === apiVersion)) {
    return Result.fail(invalid(file, "", `expected a ${KIND} of ${versions.join(", ")}`))
  }
  return Result.map(checkStrictly(CredentialProviderConfig)(file, withoutNulls(value)), ({ providers }) =>
    (providers ?? []).map((provider) => provider as GivenProvider)
  )
}

const tokenOf = ({ tokenAttributes: given }: GivenProvider): Pick<CredentialProvider, "token"> => {
  if (given === undefined) return {}
  return {
    token: {
      audience: given.serviceAccountTokenAudience ?? "",
      cacheType: given.cacheType === "Token" ? "Token" : "ServiceAccount",
      requireServiceAccount: given.requireServiceAccount ?? false,
      requiredAnnotations: given.requiredServiceAccountAnnotationKeys ?? [],
      optionalAnnotations: given.optionalServiceAccountAnnotationKeys ?? []
    }
  }
}

/**
 * Returns the plugins of all files of `--image-credential-provider-config`, in the order of the files, or what is wrong
 * with them. Upstream: plugin/config.go, readCredentialProviderConfig, validateCredentialProviderConfig.
 */
export const providersOf = (
  source: string,
  files: ReadonlyArray<ReadonlyArray<GivenProvider>>,
  allowsTokens: boolean
): Result.Result<ReadonlyArray<CredentialProvider>, InvalidInput> => {
  const given = files.flat()
  const names = given.map(({ name = "" }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    return Result.fail(
      invalid(source, "", `duplicate provider name ${JSON.stringify(twice)} found in configuration file(s)`)
    )
  }
  const problems = providerProblems(given, allowsTokens)
  if (problems !== undefined) {
    return Result.fail(invalid(source, "", `failed to validate credential provider config: ${problems}`))
  }
  return Result.succeed(
    given.map((provider) => ({
      name: provider.name ?? "",
      matchImages: provider.matchImages ?? [],
      defaultCacheMs: parseDuration(provider.defaultCacheDuration ?? "0s"),
      apiVersion: provider.apiVersion ?? "",
      args: provider.args ?? [],
      env: (provider.env ?? []).map(({ name = "", value = "" }) => ({ name, value })),
      ...tokenOf(provider)
    }))
  )
}
