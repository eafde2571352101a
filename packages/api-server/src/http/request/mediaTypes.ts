import type { Status, StatusDetails } from "@rollcall/api"

/** Media types of bodies. Upstream: apimachinery/pkg/runtime/types.go (ContentType…). */

export const JSON_TYPE = "application/json"
export const YAML_TYPE = "application/yaml"
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf"

/**
 * The body types of built-in kinds, in the order in which refusals list them. Custom resources support the first two.
 */
export const bodyTypes: ReadonlyArray<string> = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]

/**
 * Returns the media type of a Content-Type header, without parameters and in lower case; JSON if it is absent, and
 * nothing if its parameters are malformed. Upstream: Go's mime.ParseMediaType.
 */
export const contentTypeOf = (contentType: string | undefined): string => {
  if (contentType === undefined || contentType === "") return JSON_TYPE
  const semicolon = contentType.indexOf(";")
  if (semicolon < 0) return contentType.trim().toLowerCase()
  return hasParameters(contentType.slice(semicolon).trim()) ? contentType.slice(0, semicolon).trim().toLowerCase() : ""
}

/** One parameter of a media type. Its value is a token, or any text in quotes. */
const PARAMETER = /\s*;\s*([\w!#$%&'*+\-.^`|~]+)\s*=\s*([\w!#$%&'*+\-.^`|~]+|"(?:[^"\\]|\\.)*")/y

/** Whether a text is well-formed parameters, none of which has two values. One semicolon may end them. */
const hasParameters = (text: string): boolean => {
  const values = new Map<string, string>()
  let end = 0
  for (;;) {
    PARAMETER.lastIndex = end
    const [, name, value] = PARAMETER.exec(text) ?? []
    if (name === undefined || value === undefined) break
    end = PARAMETER.lastIndex
    const key = name.toLowerCase()
    if ((values.get(key) ?? value) !== value) return false
    values.set(key, value)
  }
  return text.length === end || text.slice(end).trim() === ";"
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
  /** Whether the clause asks for an indented answer. */
  readonly pretty?: boolean
}

export const mediaTypeOf: Readonly<Record<Encoding, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  protobuf: PROTOBUF_TYPE
}

/** The media types of answers, in the order in which a wildcard tries them and refusals list them. */
export const mediaTypes: ReadonlyArray<string> = [mediaTypeOf.json, mediaTypeOf.yaml, mediaTypeOf.protobuf]

/** The media types of watches. YAML has no form of its own for a stream. */
export const streamMediaTypes: ReadonlyArray<string> = [
  `${mediaTypeOf.json};stream=watch`,
  `${mediaTypeOf.protobuf};stream=watch`
]

const encodings: ReadonlyArray<{ readonly encoding: Encoding; readonly subtype: string; readonly streams: boolean }> = [
  { encoding: "json", subtype: "json", streams: true },
  { encoding: "yaml", subtype: "yaml", streams: false },
  { encoding: "protobuf", subtype: "vnd.kubernetes.protobuf", streams: true }
]

const plainJson: Negotiated = { encoding: "json", as: undefined, version: "" }

/**
 * What an answer contains, which decides about its supported encodings and representations: `plain` (a Status, a list
 * of groups) has no other representation; `untabled` (a review, a binding) is in no table. Custom resources have no
 * protobuf form, except of their metadata.
 */
export type AnswerKind = "objects" | "customObjects" | "untabled" | "discovery" | "plain"

/** One media type of an Accept header. */
interface Clause {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

const trimSpaces = (text: string): string => text.replace(/^ +| +$/g, "")

/** Returns the texts before and after the first separator. */
const splitAt = (text: string, separator: string): readonly [before: string, after: string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

/** Returns type and subtype; undefined for a text that is no media type. */
const typesOf = (media: string): readonly [type: string, subtype: string] | undefined => {
  const [before, rest] = splitAt(media, "/")
  const type = trimSpaces(before)
  if (rest === "") return type === "*" ? ["*", "*"] : undefined
  const [subtype, more] = splitAt(rest, "/")
  return more === "" ? [type, trimSpaces(subtype)] : undefined
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Returns the clause of one part of the header; undefined for one without a media type, which is ignored. */
const clauseOf = (text: string): Clause | undefined => {
  const [media = "", ...rest] = trimSpaces(text).split(";")
  const types = typesOf(media)
  if (types === undefined) return undefined
  const parameters = new Map<string, string>()
  let quality = 1
  for (const parameter of rest) {
    const [name, text] = splitAt(parameter, "=")
    const [value, more] = splitAt(text, "=")
    if (text === "" || more !== "") continue
    if (trimSpaces(name) === "q") quality = NUMBER.test(value) ? Number(value) : 0
    else parameters.set(trimSpaces(name), trimSpaces(value))
  }
  return { type: types[0], subtype: types[1], parameters, quality }
}

/** Whether a clause comes before another one: the order of goautoneg, which is none in the mathematical sense. */
const isBefore = (left: Clause, right: Clause): boolean =>
  left.quality > right.quality ||
  (left.type !== "*" && right.type === "*") ||
  (left.subtype !== "*" && right.subtype === "*")

/**
 * Returns the clauses of a header in the order in which they are tried. They are sorted by insertion, as Go sorts up to
 * twelve elements: with an order like this one, the algorithm decides. Upstream: github.com/munnerz/goautoneg.
 */
const clausesOf = (accept: string): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  for (const part of accept.split(",")) {
    const clause = clauseOf(part)
    if (clause === undefined) continue
    let at = clauses.length
    while (at > 0 && isBefore(clause, clauses[at - 1] as Clause)) at--
    clauses.splice(at, 0, clause)
  }
  return clauses
}

/** Whether an Accept header is there and has no media type at all. */
export const namesNothing = (accept: string | undefined): boolean =>
  accept !== undefined && accept !== "" && clausesOf(accept).length === 0

/**
 * Returns the first of these media types that an Accept header names, with wildcards for each part; undefined if it
 * names none. Upstream: kube-openapi/pkg/handler.
 */
export const firstNamed = (accept: string | undefined, types: ReadonlyArray<string>): string | undefined => {
  for (const { subtype, type } of clausesOf(accept === undefined || accept === "" ? "*/*" : accept)) {
    const found = types.find((known) => {
      const [knownType, knownSubtype] = splitAt(known, "/")
      return (type === "*" || type === knownType) && (subtype === "*" || subtype === knownSubtype)
    })
    if (found !== undefined) return found
  }
  return undefined
}

/** A representation that a clause asks for; its fields are empty where the clause has none. */
interface Asked {
  readonly as: string
  readonly group: string
  readonly version: string
}

const askedOf = ({ parameters }: Clause): Asked | undefined =>
  parameters.has("as") || parameters.has("g") || parameters.has("v")
    ? { as: parameters.get("as") ?? "", group: parameters.get("g") ?? "", version: parameters.get("v") ?? "" }
    : undefined

/** Whether an answer of this kind has the representation in this encoding; without one, whether it has the encoding. */
const allows = (answer: AnswerKind, encoding: Encoding, asked: Asked | undefined): boolean => {
  if (answer === "discovery") return asked !== undefined && isDiscovery(asked)
  if (asked === undefined) return answer !== "customObjects" || encoding !== "protobuf"
  const { as, group, version } = asked
  if (answer === "plain" || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return false
  if (as === "Table") return encoding !== "protobuf" && answer !== "untabled"
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList"
}

const isDiscovery = ({ as, group, version }: Asked): boolean =>
  as === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && version === "v2"

/** Returns the form that a clause asks for; undefined if the server cannot answer in it. */
const formOf = (clause: Clause, answer: AnswerKind): Negotiated | undefined => {
  const { parameters, subtype, type } = clause
  const asked = askedOf(clause)
  const stream = parameters.get("stream") ?? ""
  const serverVersion = parameters.get("sv") ?? ""
  if ((stream !== "" && stream !== "watch") || (serverVersion !== "" && (isPlain(answer) || serverVersion !== "v1"))) {
    return undefined
  }
  for (const { encoding, streams, subtype: own } of encodings) {
    const matches = type === "application" ? subtype === own || subtype === "*" : type === "*" && subtype === "*"
    if (!matches || (stream !== "" && !streams) || !allows(answer, encoding, asked)) continue
    if (asked === undefined && encoding === "json" && parameters.get("pretty") !== "1") return plainJson
    const as = asked === undefined ? undefined : (asked.as as Representation)
    const form = { encoding, as, version: asked?.version ?? "" }
    return parameters.get("pretty") === "1" ? { ...form, pretty: true } : form
  }
  return undefined
}

const isPlain = (answer: AnswerKind): boolean => answer === "plain" || answer === "discovery"

/** The results for headers are cached: clients send the same few repeatedly. When the cache is full, it is emptied. */
const negotiatedHeaders = new Map<string, Negotiated | undefined>()
const MAX_CACHED_HEADERS = 512
const MAX_CACHED_LENGTH = 1024

/**
 * Returns the form of the first media type in an Accept header that the server supports; undefined if it supports none,
 * which the caller answers with 406. Upstream: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
 */
export const negotiate = (accept: string | undefined, answer: AnswerKind): Negotiated | undefined => {
  if (answer !== "discovery" && (accept === undefined || accept === "" || accept === JSON_TYPE)) return plainJson
  const key = `${answer} ${accept}`
  if (negotiatedHeaders.has(key)) return negotiatedHeaders.get(key)
  const found = firstAccepted(accept ?? "", answer)
  if (negotiatedHeaders.size >= MAX_CACHED_HEADERS) negotiatedHeaders.clear()
  if (key.length < MAX_CACHED_LENGTH) negotiatedHeaders.set(key, found)
  return found
}

const firstAccepted = (accept: string, answer: AnswerKind): Negotiated | undefined => {
  for (const clause of clausesOf(accept)) {
    const found = formOf(clause, answer)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether a header has one of these types. The router compares texts, without their parameters. Upstream: go-restful,
 * matchesAccept and matchesContentType.
 */
const namesOneOf = (header: string, types: ReadonlyArray<string>): boolean =>
  types.includes(header) || header.split(",").some((part) => types.includes(trimSpaces(splitAt(part, ";")[0])))

/** Whether the router finds a type that the client accepts. It knows no wildcard but the whole one. */
export const acceptsOneOf = (accept: string | undefined, types: ReadonlyArray<string>): boolean =>
  accept === undefined || accept === "" || namesOneOf(accept, types) || namesOneOf(accept, ["*/*"])

/** Whether the router passes a body of this Content-Type on: without one, it takes it for bytes. */
export const consumesOneOf = (contentType: string | undefined, types: ReadonlyArray<string>): boolean =>
  namesOneOf(contentType === undefined || contentType === "" ? "application/octet-stream" : contentType, types)

/** The 406 of the router. */
export const noRepresentation = (available: ReadonlyArray<string>): Status =>
  notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`, {})

/** The 406 of a handler. Upstream: endpoints/handlers/negotiation/errors.go. */
export const noAcceptedType = (accepted: ReadonlyArray<string> = mediaTypes): Status =>
  notAcceptable(`only the following media types are accepted: ${accepted.join(", ")}`)

const notAcceptable = (message: string, details?: StatusDetails): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason: "NotAcceptable",
  ...(details === undefined ? {} : { details }),
  code: 406
})

/** The 415 of the router. */
export const UNSUPPORTED_MEDIA_TYPE: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "415: Unsupported Media Type",
  reason: "UnsupportedMediaType",
  details: {},
  code: 415
}
