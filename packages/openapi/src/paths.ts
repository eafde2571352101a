import { sortedEntries } from "@rollcall/api"
import { type MessageType, wireTypeNamed, wireTypeOfGvk } from "@rollcall/api/wire"
import { type Gvk, groupVersionPath, type Json, type OpenApiKind, schemaName, selectableFields } from "./OpenApiKind.ts"
import { descriptionOf, type NamedOperation, operationId, tagOf } from "./operationNames.ts"
import { type Action, type OperationPath, pathsOf } from "./operations.ts"
import { type Parameter, parameterJson, parametersOf } from "./parameters.ts"
import type { OpenApiVersion, Schemas } from "./Schemas.ts"
import { SharedParameters } from "./sharedParameters.ts"

// The paths of kinds with their operations. Upstream: apiserver/pkg/endpoints/installer.go; kube-openapi/pkg/builder;
// for custom resources apiextensions-apiserver/pkg/controller/openapi/builder.

export const METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1"
const metaNamed = (name: string): MessageType | undefined => wireTypeNamed(`${METADATA}.${name}`)

const customTypes = ["application/json", "application/yaml"]
const objectTypes = [...customTypes, "application/vnd.kubernetes.protobuf"]
const streamTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml"
]

/** The codes of successful answers by action; others have only 200. */
const codes: Partial<Record<Action, ReadonlyArray<string>>> = {
  POST: ["200", "201", "202"],
  PUT: ["200", "201"],
  PATCH: ["200", "201"],
  DELETE: ["200", "202"]
}
const descriptions: Readonly<Record<string, string>> = { "200": "OK", "201": "Created", "202": "Accepted" }

/** Returns the responses of an operation. */
export const answers = (
  codes: ReadonlyArray<string>,
  types: ReadonlyArray<string>,
  schema: Json,
  version: OpenApiVersion
): Json => {
  const body = version === "v3" ? content(types, schema) : { schema }
  const known = codes.map((code) => [code, { description: descriptions[code], ...body }])
  return { ...Object.fromEntries(known), "401": { description: "Unauthorized" } }
}

const content = (types: ReadonlyArray<string>, schema: Json): Json => ({
  content: Object.fromEntries(types.toSorted().map((type) => [type, { schema }]))
})

const TEXT: Json = { type: "string" }

/** An operation with what its description needs. */
interface Described extends NamedOperation {
  readonly of: OpenApiKind
  /** The kind of bodies and answers. */
  readonly gvk: Gvk
  readonly schema: Json
}

/** The paths of a document; their schemas are added to `schemas`. */
export class Paths {
  private readonly schemas: Schemas
  private readonly version: OpenApiVersion
  private readonly out: Record<string, Json> = {}
  private readonly shared = new SharedParameters()

  constructor(schemas: Schemas, version: OpenApiVersion) {
    this.schemas = schemas
    this.version = version
  }

  all(): Json {
    return Object.fromEntries(sortedEntries(this.out))
  }

  /** Returns the parameters that the paths refer to, sorted by name. */
  parameters(): Json {
    return Object.fromEntries(sortedEntries(this.shared.all()))
  }

  /** Adds a path that is no resource's. */
  put(path: string, item: Json): void {
    this.out[path] = item
  }

  /** Adds the paths of a kind. */
  add(kind: OpenApiKind): void {
    const root = `/${groupVersionPath(kind)}`
    for (const path of pathsOf(kind)) {
      // Custom resources have no paths under `/watch/`.
      if (kind.isCustom && path.template.startsWith("watch/")) continue
      this.out[`${root}/${path.template}`] = this.item(kind, path)
    }
  }

  private item(kind: OpenApiKind, path: OperationPath): Json {
    const { acrossNamespaces, operations, subresource, template, withPath } = path
    const own = kind.subresources.find(({ name }) => name === subresource)
    const gvk = own?.gvk ?? kind
    // The options of a connection are in the query: no operation refers to their schema.
    const type = gvk === kind || own?.isConnected === true ? undefined : wireTypeOfGvk(gvk)
    const schema = type === undefined ? this.schemas.refTo(schemaName(kind)) : this.schemas.message(type)
    const { namespaced } = kind
    const common = { of: kind, kind, gvk, schema, subresource, namespaced, acrossNamespaces, withPath }
    const described = [...operations].map(([method, action]) => ({ ...common, method, action }))
    const lists = described.map(({ action }) =>
      parametersOf(template, action, { isCustom: kind.isCustom, kind: gvk.kind, subresource })
    )
    const shared = commonOf(lists)
    const item: Record<string, unknown> = {}
    for (const [index, operation] of described.entries()) {
      const own = (lists[index] ?? []).filter((parameter) => !shared.has(keyOf(parameter)))
      item[operation.method.toLowerCase()] = this.operation(operation, own)
    }
    const first = (lists[0] ?? []).filter((parameter) => shared.has(keyOf(parameter)))
    if (first.length > 0) item.parameters = first.map((parameter) => this.parameter(parameter))
    return item
  }

  private parameter(parameter: Parameter): Json {
    const json = parameterJson(parameter, this.version)
    return this.version === "v2" ? this.shared.placed(json) : json
  }

  private operation(operation: Described, own: ReadonlyArray<Parameter>): Json {
    const { action, gvk, kind, of } = operation
    const types = this.typesOf(operation)
    const body = this.bodyOf(operation)
    const parameters = [
      ...(body !== undefined && this.version === "v2" ? [this.shared.placed(bodyParameter(body))] : []),
      ...own.map((parameter) => this.parameter(parameter))
    ]
    const all = action === "PATCH" && of.isCustom ? ["200"] : (codes[action] ?? ["200"])
    return {
      tags: [tagOf(kind.group, kind.version)],
      description: descriptionOf(operation, of.isCustom ? "list" : "list or watch"),
      ...(this.version === "v2" ? { consumes: this.consumed(operation), produces: types, schemes: ["https"] } : {}),
      operationId: operationId(operation),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body !== undefined && this.version === "v3" ? { requestBody: requestBody(body) } : {}),
      responses: answers(all, types, this.answerOf(operation), this.version),
      "x-kubernetes-action": action.toLowerCase(),
      "x-kubernetes-group-version-kind": gvkOf(of.isCustom ? kind : gvk)
    }
  }

  private consumed({ action, of }: Described): ReadonlyArray<string> {
    if (action === "PATCH") return patchTypesOf(of)
    return of.isCustom ? customTypes : ["*/*"]
  }

  private typesOf({ action, of, subresource }: Described): ReadonlyArray<string> {
    if (of.isCustom) return customTypes
    if (action === "CONNECT") return ["*/*"]
    if (subresource === "log") return ["text/plain", ...objectTypes]
    const streams = action === "LIST" || action === "WATCH" || action === "WATCHLIST"
    return streams ? [...objectTypes, ...streamTypes] : objectTypes
  }

  private answerOf({ action, of, schema, subresource }: Described): Json {
    switch (action) {
      case "LIST":
        return this.listOf(of)
      case "WATCH":
      case "WATCHLIST":
        return this.meta("WatchEvent")
      case "DELETECOLLECTION":
        return this.meta("Status")
      case "DELETE":
        return of.deleteReturnsObject ? schema : this.meta("Status")
      case "CONNECT":
        return TEXT
      default:
        return subresource === "log" ? TEXT : schema
    }
  }

  private bodyOf({ action, of, schema }: Described): Body | undefined {
    const types = of.isCustom ? customTypes : ["*/*"]
    switch (action) {
      case "POST":
      case "PUT":
        return { types, schema, required: true }
      case "PATCH":
        this.schemas.add(`${METADATA}.Patch`, {
          description: "A patch, of the form that its Content-Type says.",
          type: "object"
        })
        return { types: patchTypesOf(of), schema: this.schemas.refTo(`${METADATA}.Patch`), required: true }
      case "DELETECOLLECTION":
        return of.isCustom ? undefined : { types, schema: this.meta("DeleteOptions"), required: false }
      case "DELETE":
        return { types, schema: this.meta("DeleteOptions"), required: false }
      default:
        return undefined
    }
  }

  private meta(name: string): Json {
    const type = metaNamed(name)
    return type === undefined ? { type: "object" } : this.schemas.message(type)
  }

  private listOf(kind: OpenApiKind): Json {
    const type = wireTypeOfGvk({ ...kind, kind: `${kind.kind}List` })
    if (type !== undefined) return this.schemas.message(type)
    const name = `${schemaName(kind)}List`
    this.schemas.add(name, {
      description: `${kind.kind}List is a list of ${kind.kind}`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        items: { type: "array", items: this.schemas.refTo(schemaName(kind)) },
        kind: { type: "string" },
        metadata: this.schemas.withFields(this.meta("ListMeta"), { description: "Standard list metadata." })
      },
      "x-kubernetes-group-version-kind": [{ group: kind.group, kind: `${kind.kind}List`, version: kind.version }],
      ...selectableFields(kind)
    })
    return this.schemas.refTo(name)
  }
}

const gvkOf = ({ group, kind, version }: Gvk): Gvk => ({ group, kind, version })

/** Clients read here whether a strategic merge patch is supported. */
const patchTypesOf = ({ isCustom }: OpenApiKind): ReadonlyArray<string> =>
  isCustom ? patchTypes.filter((type) => !type.includes("strategic")) : patchTypes

interface Body {
  readonly types: ReadonlyArray<string>
  readonly schema: Json
  readonly required: boolean
}

const bodyParameter = ({ required, schema }: Body): Json => ({
  name: "body",
  in: "body",
  ...(required ? { required } : {}),
  schema
})

const requestBody = ({ required, schema, types }: Body): Json => ({
  ...content(types, schema),
  ...(required ? { required } : {})
})

const keyOf = ({ isInPath = false, name }: Parameter): string => `${isInPath ? "path" : "query"} ${name}`

/** Returns the keys of the parameters that all operations of a path have: documents list these once, with the path. */
const commonOf = (lists: ReadonlyArray<ReadonlyArray<Parameter>>): ReadonlySet<string> => {
  const [first = [], ...others] = lists.map((parameters) => new Set(parameters.map(keyOf)))
  return new Set([...first].filter((key) => others.every((keys) => keys.has(key))))
}
