import { badRequest, internalError, type Status } from "@rollcall/api"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { Answer, ApiRequest, ClusterError } from "@rollcall/cluster"
import type { HandleError, Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { Reply } from "../../core/pipeline/Exchange.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { sendValue } from "../call/respond.ts"
import { type DecodedBody, decodeBody, decodeBodyInSteps, type FieldValidation } from "../codec/decodeBody.ts"
import type { Route, Subroute } from "../request/Routes.ts"
import type { HealthCheck } from "../root/HealthCheck.ts"
import { LONG_BODY_BYTES } from "../wire/BodyReader.ts"
import type { Outbox } from "../wire/Outbox.ts"
import type { NodeProxy } from "./NodeProxy.ts"
import type { ProbeComponent } from "./probeComponent.ts"
import { sendShaped } from "./shape.ts"
import type { WatchServer } from "./watches.ts"

/** The services of resource handlers. */
export interface ResourceContext {
  readonly server: ApiServerShape
  readonly watches: WatchServer
  readonly now: () => number
  readonly handleError: HandleError
  readonly nodeProxy: NodeProxy
  readonly healthChecks: ReadonlyArray<HealthCheck>
  readonly probeComponent: ProbeComponent
  /** That of the watches. */
  readonly outbox: Outbox
  /** Returns why the caller may not create the named object. */
  readonly mayCreate: (call: Call) => Status | undefined
}

/** Returns the address of the object that a call names; without a namespace for a cluster-scoped kind. */
export const addressOf = (call: Call, { definition }: KindState, subroute: Subroute | undefined) => {
  const { info } = call
  const subresource = subroute?.subresource
  return {
    kind: definition.key,
    namespace: definition.resource.namespaced ? info.namespace : "",
    name: info.name,
    ...(subresource === undefined ? {} : { subresource })
  }
}

/** Returns the address of the collection that a call names: of one namespace, or of all. */
export const collectionOf = (call: Call, { definition }: KindState) => {
  const { namespace } = call.info
  return { kind: definition.key, ...(definition.resource.namespaced && namespace !== "" ? { namespace } : {}) }
}

/** Passes a request to the server and sends its answer, as negotiated, with `warnings` before those of the server. */
export const passToServer = (
  context: ResourceContext,
  call: Call,
  state: KindState,
  request: ApiRequest,
  warnings: ReadonlyArray<string> = []
) => {
  const reply: Reply = (answer, code, serverWarnings) =>
    call.guard(() => {
      const all = warnings.length === 0 ? serverWarnings : [...warnings, ...serverWarnings]
      const sendAnswer = () => {
        if (isPlain(call, answer)) sendValue(call, code, answer.success, all)
        else sendShaped(call, state.definition, code, bodyOf(answer), all, context)
      }
      // The answer is usually as large as the request, and one of several that the store answers together.
      if (hasLongBody(call)) context.server.turns.runNext(call.identity.user, inOneStep(sendAnswer), failCall(call))
      else if (state.channel.isWatched && changingVerbs.has(call.info.verb)) {
        context.outbox.afterEvents(() => call.guard(sendAnswer))
      } else sendAnswer()
    })
  const mayCreate = request.verb === "update" || (request.verb === "patch" && request.patchType === "apply")
  context.server.serve(call.identity, request, reply, mayCreate ? () => context.mayCreate(call) : undefined)
}

const changingVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"])

/** Whether the answer is a written object in its own form, which is sent unchanged. */
const isPlain = ({ info, negotiated }: Call, answer: Answer): answer is Result.Success<unknown, ClusterError> =>
  Result.isSuccess(answer) && negotiated?.as === undefined && writeVerbs.has(info.verb)

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch"])

/** Returns the body of an answer. */
const bodyOf = (answer: Answer): unknown => {
  if (Result.isSuccess(answer)) return answer.success
  const { failure } = answer
  return failure._tag === "ApiError" ? failure.status : internalError(failure.message)
}

// biome-ignore lint/correctness/useYield: it runs without yielding, in its time slice.
const inOneStep = function* (work: () => void): Steps<void> {
  work()
}

/**
 * Runs the work of a call: with a large body in steps, which yield to other requests, otherwise at once, unless it waits, as
 * for the answer of a webhook.
 */
export const runInSteps = ({ server }: ResourceContext, call: Call, steps: Steps<void>) => {
  const { user } = call.identity
  if (hasLongBody(call)) return server.turns.runAfter(user, steps, failCall(call))
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (step.value === undefined) continue
    return step.value.start(() => server.turns.runNext(user, steps, failCall(call)))
  }
}

const hasLongBody = ({ body }: Call): boolean => body.length >= LONG_BODY_BYTES

const failCall = (call: Call) => (error: unknown) =>
  call.guard(() => {
    throw error
  })

/** The message types of bodies, by the kind of a route, which lives as long as the kind: the lookup is expensive. */
const messageTypes = new WeakMap<Subroute["kind"], MessageType | undefined>()

const messageTypeOf = (gvk: Subroute["kind"]): MessageType | undefined => {
  const known = messageTypes.get(gvk)
  if (known !== undefined || messageTypes.has(gvk)) return known
  const { group, kind, version } = gvk
  const type = wireTypeOfGvk({ group, kind, version })
  messageTypes.set(gvk, type)
  return type
}

/** Kubernetes also accepts Evictions of this version. */
const EVICTIONS = [{ group: "policy", version: "v1beta1", kind: "Eviction" }]

/** Returns a message type that keeps every field, for a resource without a schema. */
const untyped = (kind: string): MessageType => ({
  fullName: kind,
  name: kind,
  goPackage: "unstructured",
  fields: new Map(),
  atomic: false,
  preserveUnknown: true
})

/** The scheme of custom resources does not know Scale, not even to say why it cannot be decoded. */
const UNDECODABLE_SCALE = badRequest(
  'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781"'
)

/** Decodes the object in the body of a create or update. */
export const decodeObjectInSteps = function* (
  call: Call,
  body: Buffer,
  route: Route,
  subroute: Subroute | undefined,
  fieldValidation: FieldValidation | undefined
): Steps<Result.Result<DecodedBody, Status>> {
  const expected = subroute?.kind ?? route.resource
  const { group, kind, version } = expected
  const own = subroute === undefined || expected.kind === route.resource.kind
  const custom = own ? route.state?.definition.message : undefined
  const builtIn = custom === undefined ? messageTypeOf(expected) : undefined
  const decoded = yield* decodeBodyInSteps({
    contentType: call.header("content-type"),
    bytes: body,
    expected: {
      group,
      kind,
      version,
      type: custom ?? builtIn ?? untyped(kind),
      custom: builtIn === undefined
    },
    fieldValidation: fieldValidation ?? "Warn",
    ...(kind === "Eviction" ? { alsoAccepted: EVICTIONS } : {})
  })
  const isScaleOfCustom = route.isCustom && builtIn !== undefined
  if (isScaleOfCustom && Result.isFailure(decoded) && decoded.failure.code === 400)
    return Result.fail(UNDECODABLE_SCALE)
  return Result.isFailure(decoded)
    ? decoded
    : Result.succeed({ ...decoded.success, object: withTypeMetaFirst(decoded.success) })
}

/** Returns the object with kind, apiVersion and metadata first, as Go writes them. */
const withTypeMetaFirst = ({ object }: DecodedBody): DecodedBody["object"] => {
  const { apiVersion, kind, metadata, ...rest } = object
  return metadata === undefined ? { kind, apiVersion, ...rest } : { kind, apiVersion, metadata, ...rest }
}

const DELETE_OPTIONS = { group: "", version: "v1", kind: "DeleteOptions" }

/** Decodes the options in the body of a delete. */
export const decodeDeleteOptions = (call: Call, body: Buffer): Result.Result<DecodedBody, Status> => {
  const type = messageTypeOf(DELETE_OPTIONS) ?? untyped(DELETE_OPTIONS.kind)
  return decodeBody({
    contentType: call.header("content-type"),
    bytes: body,
    // The scheme of options has them in this group.
    expected: { ...DELETE_OPTIONS, group: "meta.k8s.io", type },
    fieldValidation: "Ignore",
    options: true
  })
}
