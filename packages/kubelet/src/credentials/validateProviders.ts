import { parseDuration } from "@rollcall/api"
import { ErrorList, fieldErrorsText, isQualifiedName } from "@rollcall/api/validation"
import type { GivenProvider } from "./providerSchema.ts"
import { addressOf } from "./registryMatch.ts"

/** The versions of requests and responses of plugins, sorted as upstream's messages have them. */
const pluginVersions = ["v1", "v1alpha1", "v1beta1"].map((version) => `credentialprovider.kubelet.k8s.io/${version}`)
const [V1 = ""] = pluginVersions
const CACHE_TYPES = ["ServiceAccount", "Token"]

const AT = "providers"

const checkName = (errors: ErrorList, name: string): void => {
  const invalid = (detail: string) => errors.invalid(`${AT}.name`, name, `provider name cannot ${detail}`)
  if (name.includes("/")) invalid("contain '/'")
  if (name.includes(" ")) invalid("contain spaces")
  if (name === ".") invalid("be '.'")
  if (name === "..") invalid("be '..'")
}

const checkKeys = (errors: ErrorList, at: string, keys: ReadonlyArray<string>): void => {
  keys.forEach((key, index) => {
    errors.invalidEach(at, key, isQualifiedName(key.toLowerCase()))
    if (keys.indexOf(key) !== index) errors.duplicate(at, key)
  })
}

const checkToken = (errors: ErrorList, { apiVersion, tokenAttributes }: GivenProvider, allowsTokens: boolean): void => {
  if (tokenAttributes === undefined) return
  const at = `${AT}.tokenAttributes`
  const { cacheType = "", requireServiceAccount, serviceAccountTokenAudience = "" } = tokenAttributes
  const required = tokenAttributes.requiredServiceAccountAnnotationKeys ?? []
  const optional = tokenAttributes.optionalServiceAccountAnnotationKeys ?? []
  if (!allowsTokens) {
    const gate = "KubeletServiceAccountTokenForCredentialProviders"
    errors.forbidden(at, `tokenAttributes is not supported when ${gate} feature gate is disabled`)
  }
  if (serviceAccountTokenAudience === "") errors.required(`${at}.serviceAccountTokenAudience`)
  if (requireServiceAccount === undefined) errors.required(`${at}.requireServiceAccount`)
  if (apiVersion !== V1) errors.forbidden(at, `tokenAttributes is only supported for ${V1} API version`)
  if (requireServiceAccount === false && required.length > 0) {
    errors.forbidden(
      `${at}.requiredServiceAccountAnnotationKeys`,
      "requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set"
    )
  }
  checkKeys(errors, `${at}.requiredServiceAccountAnnotationKeys`, required)
  checkKeys(errors, `${at}.optionalServiceAccountAnnotationKeys`, optional)
  const both = [...new Set(required.filter((key) => optional.includes(key)))].toSorted()
  if (both.length > 0) errors.invalid(at, both, "annotation keys cannot be both required and optional")
  if (cacheType === "") {
    const values = CACHE_TYPES.join(", ")
    errors.required(
      `${at}.cacheType`,
      `cacheType is required to be set when tokenAttributes is specified. Supported values are: ${values}`
    )
  } else if (!CACHE_TYPES.includes(cacheType)) errors.notSupported(`${at}.cacheType`, cacheType, CACHE_TYPES)
}

const checkProvider = (errors: ErrorList, provider: GivenProvider, allowsTokens: boolean): void => {
  const { apiVersion = "", defaultCacheDuration, matchImages = [], name = "" } = provider
  checkName(errors, name)
  if (apiVersion === "") errors.required(`${AT}.apiVersion`)
  else if (!pluginVersions.includes(apiVersion)) errors.notSupportedText(`${AT}.apiVersion`, apiVersion, pluginVersions)
  if (matchImages.length === 0) errors.required(`${AT}.matchImages`, "at least 1 item in matchImages is required")
  for (const image of matchImages) {
    if (addressOf(image) === undefined) {
      const why = `parse ${JSON.stringify(`https://${image}`)}: invalid URL`
      errors.invalid(`${AT}.matchImages`, image, `match image is invalid: ${why}`)
    }
  }
  if (defaultCacheDuration === undefined) errors.required(`${AT}.defaultCacheDuration`)
  else if (parseDuration(defaultCacheDuration) < 0) {
    errors.invalid(`${AT}.defaultCacheDuration`, defaultCacheDuration, "must be greater than or equal to 0")
  }
  checkToken(errors, provider, allowsTokens)
}

/** Returns what is wrong with plugins in upstream's words; undefined if nothing is. Upstream: plugin/config.go. */
export const providerProblems = (
  providers: ReadonlyArray<GivenProvider>,
  allowsTokens: boolean
): string | undefined => {
  const errors = new ErrorList()
  if (providers.length === 0) errors.required(AT, "at least 1 item in plugins is required")
  for (const provider of providers) checkProvider(errors, provider, allowsTokens)
  return errors.size === 0 ? undefined : fieldErrorsText(errors.all)
}
