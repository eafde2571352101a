/** Media types of bodies. Upstream: apimachinery/pkg/runtime/types.go (ContentType…). */

export const JSON_TYPE = "application/json"
export const YAML_TYPE = "application/yaml"
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf"

/**
 * The body types of built-in kinds, in the order in which refusals list them. Custom resources support the first two.
 */
export const bodyTypes: ReadonlyArray<string> = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]

/** Returns the media type of a Content-Type header, without parameters and in lower case; JSON if it is absent. */
export const contentTypeOf = (contentType: string | undefined): string => {
  if (contentType === undefined || contentType === "") return JSON_TYPE
  const semicolon = contentType.indexOf(";")
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
}

export type Encoding = "json" | "yaml" | "protobuf"

/** The kinds in which an object or list can be represented, by the `as` parameter of a media type in Accept. */
export type Representation = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList"

/** The form of an answer, negotiated from the Accept header. */
export interface Negotiated {
  readonly encoding: Encoding
  /** Undefined for the object itself. */
  readonly as: Representation | undefined
  /** The version of `as` in its group, such as `v1`; empty without `as`. */
  readonly version: string
}

export const mediaTypeOf: Readonly<Record<Encoding, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  protobuf: PROTOBUF_TYPE
}

export const mediaTypes: ReadonlyArray<string> = [mediaTypeOf.json, mediaTypeOf.yaml, mediaTypeOf.protobuf]

/** The media types of collections, as a 406 lists them: those with `stream=watch` are for watches. */
export const collectionMediaTypes: ReadonlyArray<string> = [
  ...mediaTypes,
  `${mediaTypeOf.json};stream=watch`,
  `${mediaTypeOf.protobuf};stream=watch`
]

const encodings: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ["*/*", "json"],
  [mediaTypeOf.json, "json"],
  [mediaTypeOf.yaml, "yaml"],
  [mediaTypeOf.protobuf, "protobuf"]
])

const plainJson: Negotiated = { encoding: "json", as: undefined, version: "" }

/**
 * What an answer contains, which decides about its supported encodings and representations: `plain` (a Status, a list
 * of groups) has no other representation. Custom resources have no protobuf form, except of their metadata.
 */
export type AnswerKind = "objects" | "customObjects" | "discovery" | "plain"

/** One media type of an Accept header. */
interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

const clauseOf = (text: string): Clause => {
  const [type = "", ...rest] = text.split(";")
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const equals = parameter.indexOf("=")
    if (equals > 0) parameters.set(parameter.slice(0, equals).trim().toLowerCase(), parameter.slice(equals + 1).trim())
  }
  const quality = Number(parameters.get("q") ?? 1)
  return { type: type.trim().toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality }
}

const isRepresentation = (text: string, group: string, version: string, answer: AnswerKind): text is Representation => {
  if (answer === "discovery") {
    return text === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && version === "v2"
  }
  if (answer === "plain" || group !== "meta.k8s.io") return false
  const known = text === "Table" || text === "PartialObjectMetadata" || text === "PartialObjectMetadataList"
  return known && (version === "v1" || version === "v1beta1")
}

/** Returns the form that a clause asks for; undefined if the server cannot answer in it. */
const formOf = ({ parameters, type }: Clause, answer: AnswerKind): Negotiated | undefined => {
  const encoding = encodings.get(type)
  if (encoding === undefined) return undefined
  const as = parameters.get("as")
  if (as === undefined || as === "") {
    if (encoding === "json") return plainJson
    return encoding === "protobuf" && answer === "customObjects" ? undefined : { encoding, as: undefined, version: "" }
  }
  const version = parameters.get("v") ?? ""
  if (!isRepresentation(as, parameters.get("g") ?? "", version, answer)) return undefined
  return as === "Table" && encoding === "protobuf" ? undefined : { encoding, as, version }
}

/** The results for headers are cached: clients send the same few repeatedly. When the cache is full, it is emptied. */
const negotiatedHeaders = new Map<string, Negotiated | undefined>()
const MAX_CACHED_HEADERS = 512
const MAX_CACHED_LENGTH = 1024

/**
 * Returns the form of the first media type in an Accept header that the server supports, by descending quality and then
 * in the client's order; undefined if it supports none, which the caller answers with 406.
 * Upstream: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
 */
export const negotiate = (accept: string | undefined, answer: AnswerKind): Negotiated | undefined => {
  if (accept === undefined || accept === "" || accept === "application/json") return plainJson
  const key = `${answer} ${accept}`
  if (negotiatedHeaders.has(key)) return negotiatedHeaders.get(key)
  const found = firstAccepted(accept, answer)
  if (negotiatedHeaders.size >= MAX_CACHED_HEADERS) negotiatedHeaders.clear()
  if (accept.length < MAX_CACHED_LENGTH) negotiatedHeaders.set(key, found)
  return found
}

const firstAccepted = (accept: string, answer: AnswerKind): Negotiated | undefined => {
  const clauses = accept.split(",").map(clauseOf)
  for (const clause of clauses.toSorted((left, right) => right.quality - left.quality)) {
    const found = formOf(clause, answer)
    if (found !== undefined) return found
  }
  return undefined
}
