import * as Result from "effect/Result"
import { metaKindType } from "./schemeKinds.ts"
import { goQuote } from "./validation/goQuote.ts"
import { type GroupVersionKind, type MessageType, wireTypeOfGvk } from "./wire/index.ts"

export { optionsKindType } from "./schemeKinds.ts"

/** Where Kubernetes' source creates its scheme, and those of groups with a server of their own: error messages contain it. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30"
const schemes = new Map([
  ["apiextensions.k8s.io", "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55"],
  ["apiregistration.k8s.io", "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28"]
])

export const groupVersion = ({ group, version }: GroupVersionKind): string =>
  group === "" ? version : `${group}/${version}`

/** The same for the scheme of the options of verbs. */
const OPTIONS_SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"

/** The same for the scheme of the Scales of custom resources. */
const SCALE_SCHEME = "k8s.io/client-go/scale/util.go:146"

/** The message for a kind that the scheme of the expected group does not have, or that is no kind of options. */
export const notRegistered = (found: GroupVersionKind, { group }: GroupVersionKind, isOptions = false): string =>
  notInScheme(found, isOptions ? OPTIONS_SCHEME : (schemes.get(group) ?? SCHEME))

const notInScheme = (found: GroupVersionKind, scheme: string): string =>
  `no kind ${goQuote(found.kind)} is registered for version ${goQuote(groupVersion(found))} in scheme "${scheme}"`

/** Returns the Go package of a group's internal types. Those of the options of requests have none but v1. */
const internalPackage = (group: string): string => {
  if (group === "meta.k8s.io") return "v1"
  return group === "" || group === "events.k8s.io" ? "core" : (group.split(".")[0] ?? "")
}

/** The message for a known kind that cannot become the expected one. */
export const unknownConversion = (goPackage: string, found: GroupVersionKind, expected: GroupVersionKind): string =>
  `converting (${goPackage}.${found.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`

/** The Go type into which kind and version are decoded; errors print it. */
const goTypeMeta = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

/** Returns the name of a JSON type as Go prints it. */
const jsonTypeOf = (value: unknown): string =>
  (Array.isArray(value) ? "array" : typeof value).replace("boolean", "bool").replace("bigint", "number")

const unmarshalError = (found: unknown, target: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(found)} into ${target}`

/** What Go says of a custom resource whose apiVersion is null. Upstream: unstructured/helpers.go, NestedString. */
export const NULL_VERSION = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"

const isText = (value: unknown): boolean => value === null || typeof value === "string"

/**
 * Returns the kind of a body; parts that the body omits are taken from the kind that the path expects.
 * Upstream: apimachinery/pkg/runtime/serializer/json/{meta,json}.go (Interpret, gvkWithDefaults).
 */
export const interpretKind = (body: unknown, expected: GroupVersionKind): Result.Result<GroupVersionKind, string> => {
  if (body === null || body === undefined) return Result.succeed(expected)
  if (typeof body !== "object" || Array.isArray(body))
    return Result.fail(unmarshalError(body, `Go value of type ${goTypeMeta}`))
  const { apiVersion = "", kind = "" } = body as { readonly apiVersion?: unknown; readonly kind?: unknown }
  const fault = isText(apiVersion) ? (isText(kind) ? undefined : "kind") : "apiVersion"
  if (fault !== undefined)
    return Result.fail(unmarshalError(fault === "kind" ? kind : apiVersion, `Go struct field .${fault} of type string`))
  // Upstream's ParseGroupVersion also takes "/" for an empty version.
  const text = typeof apiVersion === "string" && apiVersion !== "/" ? apiVersion : ""
  const slash = text.indexOf("/")
  if (slash !== text.lastIndexOf("/")) return Result.fail(`unexpected GroupVersion string: ${text}`)
  const group = slash < 0 ? "" : text.slice(0, slash)
  const version = text.slice(slash + 1)
  const given = { group, version, kind: typeof kind === "string" ? kind : "" }
  return Result.succeed({
    ...(given.version === "" && (given.group === "" || given.group === expected.group) ? expected : given),
    kind: given.kind === "" ? expected.kind : given.kind
  })
}

export const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group

/** Returns the type of a kind that Go's scheme has; undefined for kinds that it does not know. */
export const registeredType = (found: GroupVersionKind): MessageType | undefined =>
  (found.group === "meta.k8s.io" ? undefined : wireTypeOfGvk(found)) ?? metaKindType(found)

/** Returns why an object of this kind cannot become one of the expected kind; undefined if it is one. */
export const conversionError = (found: GroupVersionKind, expected: GroupVersionKind): string | undefined => {
  if (sameKind(found, expected)) return undefined
  const type = registeredType(found)
  return type === undefined ? notRegistered(found, expected) : unknownConversion(type.goPackage, found, expected)
}

/** Versions of Scale that convert to that of autoscaling/v1, but are not that of the path. */
const otherScales: ReadonlySet<string> = new Set(["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"])

export const isOtherScale = (found: GroupVersionKind): boolean =>
  found.kind === "Scale" && otherScales.has(groupVersion(found))

/**
 * Returns why a patched Scale of this kind is no Scale of autoscaling/v1. In its other versions a selector is a map.
 * `custom` says whether it is that of a custom resource.
 */
export const scaleConversionError = (
  found: GroupVersionKind,
  expected: GroupVersionKind,
  scale: unknown,
  custom: boolean
): string | undefined => {
  if (sameKind(found, expected)) return undefined
  if (!isOtherScale(found)) return custom ? notInScheme(found, SCALE_SCHEME) : conversionError(found, expected)
  const { selector } = ((scale as { readonly status?: object | null }).status ?? {}) as { readonly selector?: unknown }
  if (typeof selector === "string") {
    return "json: cannot unmarshal string into Go struct field ScaleStatus.status.selector of type map[string]string"
  }
  return `converting (${found.version}.Scale) to (${custom ? "v1" : "autoscaling"}.Scale): unknown conversion`
}
