import { createHash } from "node:crypto"
import { sortedEntries } from "@rollcall/api"
import { wireTypeNamed } from "@rollcall/api/wire"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import { customSchema } from "./customSchema.ts"
import { encodeDocument } from "./gnostic/encodeDocument.ts"
import { type OtherPath, otherPathItem, otherPaths } from "./groupPaths.ts"
import {
  customName,
  groupVersionPath,
  type Json,
  type OnInvalidSchema,
  type OpenApiKind,
  selectableFields
} from "./OpenApiKind.ts"
import { Paths } from "./paths.ts"
import { type OpenApiVersion, Schemas } from "./Schemas.ts"

/** An OpenAPI document as it is served. */
export interface OpenApiDocument {
  readonly json: string
  /** Changes with the content; clients cache by it. */
  readonly hash: string
  /** The document as client-go's discovery reads it; `openApiProtobuf` has its media types. */
  readonly protobuf: () => MaybeSteps<Uint8Array>
}

/** The documents of a set of kinds. Each is computed on first use, and cached. */
export interface OpenApi {
  /** `/openapi/v3`: the paths of the documents with their hashes. */
  readonly index: () => MaybeSteps<OpenApiDocument>
  /** `/openapi/v3/<path>`, where the path is `api/v1` or `apis/apps/v1`; undefined if that is not served. */
  readonly document: (path: string) => MaybeSteps<OpenApiDocument | undefined>
  /** `/openapi/v2`: everything in one version 2 document. */
  readonly v2: () => MaybeSteps<OpenApiDocument>
}

export interface OpenApiOptions {
  readonly onInvalid?: OnInvalidSchema
  /** Whether the server issues tokens of ServiceAccounts, and serves the paths by which others verify them. */
  readonly hasIssuer?: boolean
}

/** Returns a document with this content. */
export const documentInSteps = function* (content: Json, version: OpenApiVersion): Steps<OpenApiDocument> {
  const parts: Array<string> = []
  yield* writeJsonInSteps(content, parts, SCHEMA_DEPTH)
  const hash = createHash("sha512")
  for (const [index, part] of parts.entries()) {
    hash.update(part)
    if (index % TEXTS_PER_STEP === 0) yield
  }
  const json = parts.join("")
  const protobuf = cached(() => encodeDocument(JSON.parse(json), version))
  return { json, hash: hash.digest("hex").toUpperCase(), protobuf }
}

/** How deep schemas are nested in a document: in `components.schemas`. Deeper values are written without yielding. */
const SCHEMA_DEPTH = 3
/** The number of texts between two yields. */
const TEXTS_PER_STEP = 64

/** Appends the text that JSON.stringify would write, in steps. */
const writeJsonInSteps = function* (value: unknown, parts: Array<string>, depth: number): Steps<void> {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) {
    parts.push(JSON.stringify(value))
    yield
    return
  }
  let mark = "{"
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    parts.push(`${mark}${JSON.stringify(name)}:`)
    mark = ","
    yield* writeJsonInSteps(inner, parts, depth - 1)
  }
  parts.push(mark === "{" ? "{}" : "}")
}

/**
 * The schema of a kind of any objects: it names no field, not even those of every object, because clients would refuse
 * all others. Upstream: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, buildKubeNative.
 */
const anyObject: Json = { type: "object" }

const ofKind = (of: OpenApiKind): Json => ({
  "x-kubernetes-group-version-kind": [{ group: of.group, kind: of.kind, version: of.version }],
  ...selectableFields(of)
})

/** Returns the schema of the metadata of any object. */
const metadataSchema = (schemas: Schemas): Json => {
  const type = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  const schema = type === undefined ? { type: "object" } : schemas.message(type)
  return schemas.withFields(schema, { description: "Standard object's metadata." })
}

/** Returns a custom resource's schema with the fields of every object. */
const withObjectFields = (schema: Json, metadata: Json): Json => {
  const properties = {
    apiVersion: {
      description: "APIVersion defines the group and version of the schema of this object.",
      type: "string"
    },
    kind: { description: "The REST resource that this object is.", type: "string" },
    metadata
  }
  const own = typeof schema.properties === "object" && schema.properties !== null ? schema.properties : {}
  return {
    type: "object",
    ...schema,
    properties: { ...own, ...properties }
  }
}

/** The parts of a document that depend on its kinds. */
interface Built {
  readonly paths: Json
  readonly schemas: Json
  readonly parameters: Json
}

/** What a document describes: kinds, and paths that are no resources. */
interface Members {
  readonly kinds: ReadonlyArray<OpenApiKind>
  readonly others: ReadonlyArray<OtherPath>
}

/**
 * Builds the paths and schemas of kinds. With `checked` each schema is first serialized alone, because one of them is
 * known not to have a JSON form.
 */
const buildInSteps = function* (
  { kinds, others }: Members,
  version: OpenApiVersion,
  onInvalid: OnInvalidSchema,
  checked: boolean
): Steps<Built> {
  const schemas = new Schemas(version, version === "v2" ? undefined : kinds[0])
  const paths = new Paths(schemas, version)
  for (const other of others) paths.put(other.path, otherPathItem(other, schemas, version))
  const custom = (schema: Json): Json => {
    if (version === "v2" && schema["x-kubernetes-preserve-unknown-fields"] === true) return anyObject
    const metadata = metadataSchema(schemas)
    const shown = customSchema(schema, { version, metadata })
    if (checked) JSON.stringify(shown)
    return withObjectFields(shown, metadata)
  }
  for (const kind of kinds) {
    if ("type" in kind.shape) schemas.message(kind.shape.type)
    else {
      const { schema } = kind.shape
      const shown = orElse(
        () => custom(schema),
        (error) => {
          onInvalid(customName(kind), error)
          return anyObject
        }
      )
      schemas.add(customName(kind), { ...shown, ...ofKind(kind) })
    }
    paths.add(kind)
    yield
  }
  return { paths: paths.all(), schemas: schemas.all(), parameters: paths.parameters() }
}

/** Returns what `make` returns, or, if it throws, what `instead` returns. */
const orElse = <A>(make: () => A, instead: (error: unknown) => A): A => {
  try {
    return make()
  } catch (error) {
    return instead(error)
  }
}

/**
 * Returns a function that computes a value on its first call and caches it. Concurrent requests each compute the value:
 * that is rare, and no request waits for another, whose client may be gone.
 */
const cached = <A>(compute: () => Steps<A>): (() => MaybeSteps<A>) => {
  let known: { readonly value: A } | undefined
  const computeInSteps = function* (): Steps<A> {
    const value = yield* compute()
    known ??= { value }
    return known.value
  }
  return () => (known === undefined ? computeInSteps() : known.value)
}

/**
 * OpenAPI of the served kinds, which kubectl explain, apply and field validation read. Made again whenever the set of
 * kinds changes; the documents of unchanged group versions keep their hash. A custom resource whose schema cannot be
 * written appears as an object with arbitrary fields; all others are unaffected. Upstream: kube-openapi/pkg/handler3.
 */
export const openApi = (
  kinds: Iterable<OpenApiKind>,
  serverVersion: string,
  { hasIssuer = false, onInvalid = () => undefined }: OpenApiOptions = {}
): OpenApi => {
  const info = { title: "Kubernetes", version: serverVersion }
  const all: Members = { kinds: [...kinds], others: otherPaths(builtInGroups(kinds), "v2", hasIssuer) }
  const documents = new Map(
    [...membersByPath(all.kinds, hasIssuer)].map(([path, members]) => [
      path,
      cached(() =>
        documentWith(members, "v3", ({ paths, schemas }) => ({
          openapi: "3.0.0",
          info: members.kinds.some(({ isCustom }) => isCustom) ? CUSTOM_INFO : info,
          paths,
          components: {
            ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
            ...(members.kinds.some(({ isCustom }) => isCustom) ? {} : { securitySchemes })
          }
        }))
      )
    ])
  )
  const documentWith = function* (
    members: Members,
    version: OpenApiVersion,
    content: (built: Built) => Json
  ): Steps<OpenApiDocument> {
    try {
      return yield* documentInSteps(content(yield* buildInSteps(members, version, onInvalid, false)), version)
    } catch {
      return yield* documentInSteps(content(yield* buildInSteps(members, version, onInvalid, true)), version)
    }
  }
  const v2 = ({ parameters, paths, schemas }: Built): Json => ({
    swagger: "2.0",
    info,
    paths,
    definitions: schemas,
    parameters,
    securityDefinitions: securitySchemes,
    security: [{ BearerToken: [] }]
  })
  return {
    index: cached(() => encodeIndex(documents, onInvalid)),
    document: (path) => documents.get(path)?.(),
    v2: cached(() => documentWith(all, "v2", v2))
  }
}

/** What the documents of custom resources say of themselves. */
const CUSTOM_INFO: Json = { title: "Kubernetes CRD Swagger", version: "v0.1.0" }

const securitySchemes: Json = {
  BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" }
}

/** Returns the groups of built-in kinds with their versions. */
const builtInGroups = (kinds: Iterable<OpenApiKind>): ReadonlyMap<string, ReadonlySet<string>> => {
  const groups = new Map<string, Set<string>>()
  for (const { group, isCustom, version } of kinds) {
    if (!isCustom) groups.set(group, (groups.get(group) ?? new Set()).add(version))
  }
  return groups
}

/** Returns what each version 3 document describes, by its path. */
const membersByPath = (kinds: ReadonlyArray<OpenApiKind>, hasIssuer: boolean): ReadonlyMap<string, Members> => {
  const byPath = new Map<string, { readonly kinds: Array<OpenApiKind>; readonly others: Array<OtherPath> }>()
  const membersAt = (path: string) => {
    const members = byPath.get(path) ?? { kinds: [], others: [] }
    byPath.set(path, members)
    return members
  }
  for (const other of otherPaths(builtInGroups(kinds), "v3", hasIssuer)) {
    membersAt(other.path.slice(1, -1)).others.push(other)
  }
  for (const kind of kinds) membersAt(groupVersionPath(kind)).kinds.push(kind)
  return byPath
}

const encodeIndex = function* (
  documents: ReadonlyMap<string, () => MaybeSteps<OpenApiDocument>>,
  onInvalid: OnInvalidSchema
): Steps<OpenApiDocument> {
  const paths: Record<string, Json> = {}
  for (const [path, document] of sortedEntries(documents)) {
    // A document that cannot be made, such as one too long for a string, is not served.
    try {
      const made = document()
      const { hash } = isSteps(made) ? yield* made : made
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }
    } catch (error) {
      onInvalid(path, error)
    }
  }
  return yield* documentInSteps({ paths }, "v3")
}
