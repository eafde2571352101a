import type { ManagedFieldsEntry } from "@rollcall/api"
import { kindOfName } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import type { Adapters, Json } from "../Adapter.ts"
import { type Serve, withFieldOwnership } from "../inProcess.ts"

const namespaced = (kind: string) => (kind === "Node" ? {} : { namespace: "default" })

const requestOf = ({ name, resource }: Json, { body, force, manager, op, subresource }: Json): ApiRequest => {
  const kind = kindOfName(resource) ?? "ConfigMap"
  const write = { kind, ...namespaced(kind), fieldManager: manager }
  if (op === "create") return { ...write, verb: "create", object: body }
  const patchType = op === "apply" ? "apply" : "merge"
  return {
    ...write,
    verb: "patch",
    name,
    patchType,
    body,
    ...(force === undefined ? {} : { force }),
    ...(subresource === undefined ? {} : { subresource })
  }
}

const withoutTimes = (text: string | undefined) => text?.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")

const responseOf = (serve: Serve, request: ApiRequest): Json => {
  const { body, code } = serve(request)
  if (code < 400) return { code }
  const status = body as Json
  const causes = (status.details?.causes ?? []).map((cause: Json) => ({
    ...cause,
    message: withoutTimes(cause.message)
  }))
  return { code, reason: status.reason ?? null, message: withoutTimes(status.message), causes }
}

const comparedObject = ({ data, metadata, spec, status }: Json): Json => {
  const { annotations, finalizers, labels, name } = metadata
  const comparedStatus = Object.fromEntries(
    ["conditions", "addresses"].flatMap((part) => (status?.[part] === undefined ? [] : [[part, status[part]]]))
  )
  const compared = { metadata: { name, labels, annotations, finalizers }, spec, data, status: comparedStatus }
  const plain = JSON.parse(JSON.stringify(compared))
  for (const part of ["spec", "status"]) {
    if (plain[part] !== undefined && Object.keys(plain[part]).length === 0) delete plain[part]
  }
  return plain
}

const sortKeyOf = ({ manager, operation, subresource }: ManagedFieldsEntry) =>
  `${operation} ${manager} ${subresource ?? ""}`

const comparedEntries = (entries: ReadonlyArray<ManagedFieldsEntry>): Json =>
  [...entries]
    .sort((left, right) => (sortKeyOf(left) < sortKeyOf(right) ? -1 : 1))
    .map(({ fieldsType: _, time: _time, ...entry }) => entry)

export const applyAdapters: Adapters = {
  "patch/apply": ({ given, when }) =>
    withFieldOwnership((serve) => {
      const responses = when.map((step: Json) => responseOf(serve, requestOf(given, step)))
      const kind = kindOfName(given.resource) ?? "ConfigMap"
      const found = serve({ verb: "get", kind, ...namespaced(kind), name: given.name })
      const object = found.body as Json
      return found.code === 404
        ? { responses, object: null }
        : {
            responses,
            object: comparedObject(object),
            managedFields: comparedEntries(object.metadata.managedFields ?? [])
          }
    })
}
