import { sortedEntries } from "@rollcall/api"
import { type MessageType, wireTypeNamed, wireTypeOfGvk } from "@rollcall/api/wire"
import { type Gvk, groupVersionPath, type Json, type OpenApiKind, schemaName } from "./OpenApiKind.ts"
import { pathParameters, queryParameters } from "./parameters.ts"
import { proxyPaths } from "./proxyPaths.ts"
import type { Schemas, Version } from "./Schemas.ts"

// The paths of kinds with their operations. Upstream: apiserver/pkg/endpoints/installer.go; kube-openapi.

const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]
const patchBodyTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml"
]

/** Custom resources have no protobuf form. */
const bodyTypesOf = ({ shape }: OpenApiKind) => ("schema" in shape ? bodyTypes.slice(0, 2) : bodyTypes)

/** Clients read here whether a strategic merge patch is supported. */
const patchBodyTypesOf = ({ shape }: OpenApiKind) =>
  "schema" in shape ? patchBodyTypes.filter((type) => !type.includes("strategic")) : patchBodyTypes

const metaNamed = (name: string): MessageType | undefined =>
  wireTypeNamed(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`)

/** An operation on a path: its HTTP method, and the value of x-kubernetes-action. */
interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete"
  readonly action: string
}

const collectionOperations: ReadonlyArray<Operation> = [
  { method: "get", action: "list" },
  { method: "post", action: "post" },
  { method: "delete", action: "deletecollection" }
]

const objectOperations: ReadonlyArray<Operation> = [
  { method: "get", action: "get" },
  { method: "put", action: "put" },
  { method: "patch", action: "patch" },
  { method: "delete", action: "delete" }
]

const subresourceOperations = objectOperations.filter(({ action }) => action !== "delete")
const createOnlyOperations = collectionOperations.filter(({ action }) => action === "post")

/** The paths of a document; their schemas are added to `schemas`. */
export class Paths {
  private readonly schemas: Schemas
  private readonly version: Version
  private readonly out: Record<string, Json> = {}

  constructor(schemas: Schemas, version: Version) {
    this.schemas = schemas
    this.version = version
  }

  all(): Json {
    return Object.fromEntries(sortedEntries(this.out))
  }

  /** Adds the paths of a kind. */
  add(kind: OpenApiKind): void {
    const root = `/${groupVersionPath(kind)}`
    const base = `${root}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}`
    const own = this.schemas.refTo(schemaName(kind))
    const list = this.listOf(kind, own)
    if (kind.createOnly === true) {
      this.path(base, kind, createOnlyOperations, kind, own)
      return
    }
    this.path(base, kind, collectionOperations, kind, own, list)
    if (kind.namespaced) this.path(`${root}/${kind.plural}`, kind, collectionOperations.slice(0, 1), kind, own, list)
    this.path(`${base}/{name}`, kind, objectOperations, kind, own)
    for (const { createOnly, gvk, name } of kind.subresources) {
      const type = gvk === undefined ? undefined : wireTypeOfGvk(gvk)
      const body = type === undefined ? own : this.schemas.message(type)
      this.path(
        `${base}/{name}/${name}`,
        kind,
        createOnly === true ? createOnlyOperations : subresourceOperations,
        gvk ?? kind,
        body
      )
    }
    const { proxyOptions } = kind
    if (proxyOptions === undefined) return
    for (const [path, item] of proxyPaths(kind, proxyOptions, this.version)) this.out[path] = item
  }

  private listOf(kind: OpenApiKind, own: Json): Json {
    const type = wireTypeOfGvk({ ...kind, kind: `${kind.kind}List` })
    if (type !== undefined) return this.schemas.message(type)
    const name = `${schemaName(kind)}List`
    const listMeta = metaNamed("ListMeta")
    this.schemas.add(name, {
      description: `A list of ${kind.kind} objects.`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: listMeta === undefined ? { type: "object" } : this.schemas.message(listMeta),
        items: { type: "array", items: own }
      },
      "x-kubernetes-group-version-kind": [{ group: kind.group, kind: `${kind.kind}List`, version: kind.version }]
    })
    return this.schemas.refTo(name)
  }

  /** Adds a path; `own` is the schema of an object and `list` that of a list. */
  private path(
    path: string,
    kind: OpenApiKind,
    operations: ReadonlyArray<Operation>,
    gvk: Gvk,
    own: Json,
    list = own
  ): void {
    const item: Record<string, unknown> = {}
    for (const operation of operations) item[operation.method] = this.operation(path, kind, operation, gvk, own, list)
    item.parameters = pathParameters(path, kind.kind, this.version)
    this.out[path] = item
  }

  private operation(path: string, kind: OpenApiKind, operation: Operation, gvk: Gvk, own: Json, list: Json): Json {
    const { action, method } = operation
    const query = queryParameters(action, this.version)
    const body = this.bodyOf(kind, action, own)
    const answer = action === "list" ? list : action === "deletecollection" ? this.status(own) : own
    const inBody =
      body !== undefined && this.version === "v2" ? [{ in: "body", name: "body", schema: body.schema }] : []
    return {
      description: `${action} ${kind.kind}`,
      operationId: `${action}${path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
      parameters: [...inBody, ...query],
      ...(body !== undefined && this.version === "v3" ? { requestBody: content(body.types, body.schema) } : {}),
      ...(this.version === "v2" ? { produces: bodyTypesOf(kind), consumes: body?.types ?? ["*/*"] } : {}),
      responses: this.responses(kind, method === "post" || action === "put" || action === "patch", answer),
      tags: [
        groupVersionPath(kind)
          .replace(/^apis?\//, "")
          .replace(/[./]/g, "_")
      ],
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: gvk.group, kind: gvk.kind, version: gvk.version }
    }
  }

  private status(own: Json): Json {
    const type = metaNamed("Status")
    return type === undefined ? own : this.schemas.message(type)
  }

  private bodyOf(
    kind: OpenApiKind,
    action: string,
    own: Json
  ): { types: ReadonlyArray<string>; schema: Json } | undefined {
    if (action === "post" || action === "put") return { types: ["*/*"], schema: own }
    if (action === "patch") {
      const name = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch"
      this.schemas.add(name, { description: "A patch, of the form that its Content-Type says.", type: "object" })
      return { types: patchBodyTypesOf(kind), schema: this.schemas.refTo(name) }
    }
    const options = metaNamed("DeleteOptions")
    return action.startsWith("delete") && options !== undefined
      ? { types: ["*/*"], schema: this.schemas.message(options) }
      : undefined
  }

  private responses(kind: OpenApiKind, creates: boolean, schema: Json): Json {
    const answer = (description: string): Json =>
      this.version === "v3" ? { description, ...content(bodyTypesOf(kind), schema) } : { description, schema }
    return {
      "200": answer("OK"),
      ...(creates ? { "201": answer("Created") } : {}),
      "401": { description: "Unauthorized" }
    }
  }
}

const content = (types: ReadonlyArray<string>, schema: Json): Json => ({
  content: Object.fromEntries(types.map((type) => [type, { schema }]))
})
