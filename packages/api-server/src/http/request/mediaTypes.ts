/** Media types of bodies. Upstream: apimachinery/pkg/runtime/types.go (ContentType…). */

export const JSON_TYPE = "application/json"
export const YAML_TYPE = "application/yaml"
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf"

/** The body types of built-in kinds, in the order in which refusals list them. Custom resources support the first two. */
export const bodyTypes: ReadonlyArray<string> = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]

/** Returns a Content-Type without its parameters; JSON where there is none. */
export const contentTypeOf = (contentType: string | undefined): string => {
  if (contentType === undefined || contentType === "") return JSON_TYPE
  const semicolon = contentType.indexOf(";")
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
}

export type Encoding = "json" | "yaml" | "protobuf"

/** The representations of an answer. */
export type As = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList"

/** The negotiated form of an answer. */
export interface Negotiated {
  readonly encoding: Encoding
  readonly as: As | undefined
  /** The version in the group of `as`, such as `v1`. */
  readonly version: string
}

export const mediaTypeOf: Readonly<Record<Encoding, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  protobuf: PROTOBUF_TYPE
}

export const mediaTypes: ReadonlyArray<string> = [mediaTypeOf.json, mediaTypeOf.yaml, mediaTypeOf.protobuf]

/** The media types of collections: watches of them are streams. */
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
 * The kinds of answers by their supported representations. Custom resources have no protobuf form, except of their
 * metadata.
 */
export type Shapes = "objects" | "customObjects" | "discovery" | "plain"

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

const isShape = (text: string, group: string, version: string, shapes: Shapes): text is As => {
  if (shapes === "discovery") {
    return text === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && version === "v2"
  }
  if (shapes === "plain" || group !== "meta.k8s.io") return false
  const known = text === "Table" || text === "PartialObjectMetadata" || text === "PartialObjectMetadataList"
  return known && (version === "v1" || version === "v1beta1")
}

const accepted = ({ parameters, type }: Clause, shapes: Shapes): Negotiated | undefined => {
  const encoding = encodings.get(type)
  if (encoding === undefined) return undefined
  const as = parameters.get("as")
  if (as === undefined || as === "") {
    if (encoding === "json") return plainJson
    return encoding === "protobuf" && shapes === "customObjects" ? undefined : { encoding, as: undefined, version: "" }
  }
  const version = parameters.get("v") ?? ""
  if (!isShape(as, parameters.get("g") ?? "", version, shapes)) return undefined
  return as === "Table" && encoding === "protobuf" ? undefined : { encoding, as, version }
}

/** The parsed clauses of headers are cached: a client sends the same few repeatedly. */
const negotiatedHeaders = new Map<string, Negotiated | undefined>()
const MAX_HEADERS = 512

/**
 * Returns the first clause, in the client's order, that can be served; undefined: none.
 * Upstream: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
 */
export const negotiate = (accept: string | undefined, shapes: Shapes): Negotiated | undefined => {
  if (accept === undefined || accept === "" || accept === "application/json") return plainJson
  const key = `${shapes} ${accept}`
  if (negotiatedHeaders.has(key)) return negotiatedHeaders.get(key)
  const found = firstAccepted(accept, shapes)
  if (negotiatedHeaders.size >= MAX_HEADERS) negotiatedHeaders.clear()
  if (accept.length < 1024) negotiatedHeaders.set(key, found)
  return found
}

const firstAccepted = (accept: string, shapes: Shapes): Negotiated | undefined => {
  const clauses = accept.split(",").map(clauseOf)
  for (const clause of clauses.toSorted((left, right) => right.quality - left.quality)) {
    const found = accepted(clause, shapes)
    if (found !== undefined) return found
  }
  return undefined
}
