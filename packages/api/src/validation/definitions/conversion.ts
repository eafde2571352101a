import type { CustomResourceDefinitionSpec } from "../../objects/CustomResourceDefinition.ts"
import { caBundleFault } from "../caBundle.ts"
import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { goQuote } from "../goFormat.ts"
import { badUrlEscape, cutText, splitUrl } from "../goUrl.ts"
import { isDNS1035Label, isDNS1123Subdomain, isValidPortNumber } from "../names.ts"
import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/** The versions of ConversionReview that Kubernetes understands. */
const reviewVersions = ["v1", "v1beta1"]

const strategies = ["None", "Webhook"]

/**
 * Checks how objects are converted between versions. Errors name the fields of the internal type. Upstream:
 * apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, validateCustomResourceConversion.
 */
export const checkConversion = (
  errors: ErrorList,
  spec: CustomResourceDefinitionSpec,
  at: string,
  checksBundle: boolean
): void => {
  const { conversion } = spec
  if (conversion === undefined || conversion === null) return
  const strategy: string = conversion.strategy ?? ""
  const webhook = isJsonObject(conversion.webhook) ? conversion.webhook : {}
  const config = isJsonObject(webhook.clientConfig) ? webhook.clientConfig : undefined
  const versions = Array.isArray(webhook.conversionReviewVersions) ? webhook.conversionReviewVersions : []
  if (strategy !== "None" && spec.preserveUnknownFields === true) {
    errors.invalid(`${at}.strategy`, typed(strategy), "must be None if spec.preserveUnknownFields is true")
  }
  if (strategy === "") errors.required(`${at}.strategy`)
  else if (!strategies.includes(strategy)) errors.notSupportedText(`${at}.strategy`, strategy, strategies)
  if (strategy === "Webhook") {
    checkClient(errors, config, `${at}.webhookClientConfig`)
    if (checksBundle) checkBundle(errors, bundleOf(spec), `${at}.webhookClientConfig.caBundle`)
    checkReviewVersions(errors, versions, `${at}.conversionReviewVersions`)
    return
  }
  const text = "should not be set when strategy is not set to Webhook"
  if (config !== undefined) errors.forbidden(`${at}.webhookClientConfig`, text)
  if (versions.length > 0) errors.forbidden(`${at}.conversionReviewVersions`, text)
}

/** Returns the certificates that the webhook's certificate is verified by. */
export const bundleOf = ({ conversion }: CustomResourceDefinitionSpec): string => {
  const webhook = isJsonObject(conversion?.webhook) ? conversion.webhook : {}
  const { caBundle } = isJsonObject(webhook.clientConfig) ? webhook.clientConfig : {}
  return typeof caBundle === "string" ? caBundle : ""
}

const checkBundle = (errors: ErrorList, bundle: string, at: string): void => {
  const fault = caBundleFault(bundle)
  if (fault !== undefined) errors.invalid(at, bundle, fault)
}

const checkReviewVersions = (errors: ErrorList, versions: ReadonlyArray<unknown>, at: string): void => {
  if (versions.length === 0) {
    errors.required(at)
    return
  }
  const seen = new Set<string>()
  versions.map(String).forEach((version, index) => {
    if (seen.has(version)) {
      errors.invalid(`${at}[${index}]`, version, "duplicate version")
      return
    }
    seen.add(version)
    errors.invalidEach(`${at}[${index}]`, version, isDNS1035Label(version))
  })
  if (reviewVersions.some((version) => seen.has(version))) return
  errors.invalid(at, versions, `must include at least one of ${reviewVersions.join(", ")}`)
}

const checkClient = (errors: ErrorList, config: JsonObject | undefined, at: string): void => {
  if (config === undefined) {
    errors.required(at, "required when strategy is set to Webhook")
    return
  }
  checkEndpoint(errors, config, at)
}

/** Checks where a webhook is called: at a URL, or at a service. */
export const checkEndpoint = (errors: ErrorList, { service, url }: JsonObject, at: string): void => {
  if ((typeof url === "string") === isJsonObject(service)) {
    errors.required(at, "exactly one of url or service is required")
  } else if (typeof url === "string") checkUrl(errors, url, `${at}.url`)
  else if (isJsonObject(service)) checkService(errors, service, `${at}.service`)
}

const form = "; desired format: https://host[/path]"

/** Upstream: apiserver/pkg/util/webhook/validation.go. */
const checkUrl = (errors: ErrorList, text: string, at: string): void => {
  const [before, fragment = ""] = cutText(text, "#")
  const parts = splitUrl(before, false)
  const problem = typeof parts === "string" ? parts : badUrlEscape(fragment)
  if (typeof parts === "string" || problem !== undefined) {
    const shown = typeof parts === "string" ? before : text
    errors.required(at, `url must be a valid URL: parse ${goQuote(shown)}: ${problem}${form}`)
    return
  }
  const { authority, rawQuery, scheme } = parts
  const at0 = authority.lastIndexOf("@")
  const host = authority.slice(at0 + 1)
  if (scheme !== "https") {
    errors.invalid(at, scheme, `'https' is the only allowed URL scheme${form}`)
  }
  if (host === "") errors.invalid(at, "", `host must be specified${form}`)
  if (at0 >= 0) errors.invalid(at, authority.slice(0, at0), "user information is not permitted in the URL")
  if (fragment) errors.invalid(at, fragment, "fragments are not permitted in the URL")
  if (rawQuery) errors.invalid(at, rawQuery, "query parameters are not permitted in the URL")
}

const checkService = (errors: ErrorList, service: JsonObject, at: string): void => {
  const { name = "", namespace = "", path, port = 443 } = service
  // Upstream's callers exchange the two, so that each is reported as the other.
  if (namespace === "") errors.required(`${at}.name`)
  if (name === "") errors.required(`${at}.namespace`)
  const portMessages = isValidPortNumber(Number(port))
  if (portMessages.length > 0) errors.invalid(`${at}.port`, port, `port is not valid: ${portMessages.join(", ")}`)
  if (typeof path === "string") checkPath(errors, path, `${at}.path`)
}

const checkPath = (errors: ErrorList, path: string, at: string): void => {
  if (path === "" || path === "/") return
  if (path === "//") {
    errors.invalid(at, path, "segment[0] may not be empty")
    return
  }
  if (!path.startsWith("/")) errors.invalid(at, path, "must start with a '/'")
  const segments = path.slice(1).replace(/\/$/, "").split("/")
  segments.forEach((segment, index) => {
    if (segment === "") {
      errors.invalid(at, path, `segment[${index}] may not be empty`)
      return
    }
    for (const message of isDNS1123Subdomain(segment)) errors.invalid(at, path, `segment[${index}]: ${message}`)
  })
}
