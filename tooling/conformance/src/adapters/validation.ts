import { forbidden, groupResourceOf, type KindName, type Pod, type Status, withServiceAccount } from "@rollcall/api"
import { applyMergePatch } from "@rollcall/api/patch"
import * as names from "@rollcall/api/validation"
import type { AdmissionPlugin } from "@rollcall/api-server"
import type { Answer } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapter, Adapters, Json } from "../Adapter.ts"
import { withServer } from "../inProcess.ts"

const nameChecks: Readonly<Record<string, (value: string) => ReadonlyArray<string>>> = {
  dns1123Label: names.isDNS1123Label,
  dns1123Subdomain: names.isDNS1123Subdomain,
  dns1035Label: names.isDNS1035Label,
  qualifiedName: names.isQualifiedName,
  labelValue: names.isValidLabelValue
}

/** An admission plugin for the only service account of the recordings' cluster: `default`, in every namespace. */
const serviceAccounts: AdmissionPlugin = {
  name: "ServiceAccount",
  admits: (kind, verb, subresource) => kind === "Pod" && verb === "create" && subresource === undefined,
  mutate: ({ name, namespace, object, resource }) => {
    const admitted = withServiceAccount(object as Pod, namespace, (account) => account === "default")
    return Result.mapError(admitted, (why) => forbidden(groupResourceOf(resource), name, why))
  }
}

/** Returns the first line of a text: the vectors contain only that. */
const firstLine = (text: string): string => {
  const end = text.indexOf("\n")
  return end < 0 ? text : `${text.slice(0, end)} ...`
}

const refusal = ({ code, details, message = "", reason }: Status): Json => ({
  code,
  reason,
  message: firstLine(message),
  causes: (details?.causes ?? []).map((cause) => ({ ...cause, message: firstLine(cause.message ?? "") }))
})

const responseResult = (answer: Answer, code: number, resultOfObject: (object: Json) => Json = () => ({})): Json => {
  if (Result.isSuccess(answer)) return { code, ...resultOfObject(answer.success) }
  if (answer.failure._tag === "ConnectionError") throw answer.failure
  return refusal(answer.failure.status)
}

const addressOf = ({ kind, metadata }: Json): { kind: KindName; name: string; namespace?: string } => ({
  kind,
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
})

const runUpdate = (given: Json, next: (stored: Json) => Json, resultOfObject?: (object: Json) => Json): Json =>
  withServer([serviceAccounts], (send) => {
    const { subresource } = given
    const target = addressOf(given.existing)
    const created = send({ verb: "create", ...target, object: given.existing })
    if (Result.isFailure(created)) return responseResult(created, 0)
    const object = next(created.success)
    return responseResult(
      send({ verb: "update", ...target, ...(subresource && { subresource }), object }),
      200,
      resultOfObject
    )
  })

const runCreation: Adapter = ({ given }) =>
  withServer([serviceAccounts], (send) => {
    const { kind, namespace } = addressOf(given.create)
    const place = namespace === undefined ? {} : { namespace }
    return responseResult(send({ verb: "create", kind, ...place, object: given.create, dryRun: true }), 201)
  })

/** Returns a status as the server encodes it: conditions always have times. */
const encodedStatus = ({ daemonEndpoints: _, nodeInfo: _info, ...status }: Json): Json => ({
  ...status,
  ...(status.conditions && {
    conditions: status.conditions.map((condition: Json) => ({
      lastHeartbeatTime: null,
      lastTransitionTime: null,
      ...condition
    }))
  })
})

const nodeResult =
  (withStatus: boolean) =>
  ({ metadata, spec, status }: Json): Json => {
    const { creationTimestamp: _, managedFields: _fields, resourceVersion: _version, uid: _uid, ...rest } = metadata
    return { object: { metadata: rest, spec, ...(withStatus ? { status: encodedStatus(status ?? {}) } : {}) } }
  }

const withoutVersion = ({ metadata, ...object }: Json): Json => {
  const { resourceVersion: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

export const validationAdapters: Adapters = {
  "validation/names": ({ given }) => ({ errors: nameChecks[given.check]?.(given.value) }),

  // The vectors contain the status only if the request had one.
  "validation/node": (vectorCase, file) => {
    const { given } = vectorCase
    if (given.create !== undefined) return runCreation(vectorCase, file)
    return runUpdate(given, () => given.update, nodeResult(given.update.status !== undefined))
  },

  "validation/pod": (vectorCase, file) => {
    const { given } = vectorCase
    if (given.create !== undefined) return runCreation(vectorCase, file)
    return runUpdate(given, (stored) => Result.getOrThrow(applyMergePatch(withoutVersion(stored), given.change)))
  },

  "validation/objects": runCreation
}
