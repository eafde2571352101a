import { generateKeyPairSync } from "node:crypto"
import { type KubeObject, resourceOf, type Status } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { UserInfo } from "../../src/core/admission/Admission.ts"
import type { RequestAttributes } from "../../src/core/index.ts"
import { authorizationRefusal } from "../../src/core/ports/authorizationRefusal.ts"
import { type Security, type SecurityOptions, securityPlan } from "../../src/security/index.ts"
import { makeTestServer, type TestServer, type TestServerOptions } from "../core/testServer.ts"

export const ISSUER = "https://kubernetes.default.svc.cluster.local"

export const newKeyPem = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/** A test server with authentication and authorization. */
export interface SecuredTestServer extends TestServer {
  readonly security: Security
  /** Returns what a client of this user gets: the object, or the Status of the refusal. */
  readonly as: (user: UserInfo, request: ApiRequest) => KubeObject | Status
  /** Creates an object of a kind that is answered and not stored, such as a SubjectAccessReview. */
  readonly review: (
    user: UserInfo,
    kind: string,
    body: object,
    place?: { namespace?: string; name?: string }
  ) => KubeObject | Status
}

export const kubelet = (node: string): UserInfo => ({
  user: `system:node:${node}`,
  groups: ["system:nodes", "system:authenticated"]
})

export const person = (user: string, ...groups: ReadonlyArray<string>): UserInfo => ({
  user,
  groups: [...groups, "system:authenticated"]
})

export const attributesOf = (user: UserInfo, request: ApiRequest): RequestAttributes => {
  const { group, plural, version } = resourceOf(request.kind as "Pod")
  const fieldSelector = "fieldSelector" in request ? request.fieldSelector : undefined
  const named = /^metadata\.name=(.*)$/.exec(fieldSelector ?? "")?.[1]
  return {
    user,
    verb: request.verb,
    isResource: true,
    path: "",
    group,
    version,
    resource: plural,
    subresource: ("subresource" in request ? request.subresource : undefined) ?? "",
    namespace: request.namespace ?? "",
    // A create has the name only in its body.
    name: ("name" in request ? request.name : undefined) ?? named ?? "",
    ...(fieldSelector === undefined ? {} : { fieldSelector })
  }
}

export const makeSecuredTestServer = (
  more: Partial<SecurityOptions> = {},
  options: Pick<TestServerOptions, "handleError"> = {}
): SecuredTestServer => {
  const serviceAccounts = { issuer: ISSUER, privateKeyPem: newKeyPem() }
  const testServer = makeTestServer({
    ...options,
    security: securityPlan({ modes: ["Node", "RBAC"], serviceAccounts, ...more })
  })
  const { security } = testServer.server
  if (security === undefined) throw new Error("no security")
  const answer = (user: UserInfo, request: ApiRequest): KubeObject | Status => {
    const attributes = attributesOf(user, request)
    const decision = security.authorizer.authorize(attributes)
    if (decision.decision !== "Allow") return authorizationRefusal(attributes, decision)
    let answered: KubeObject | Status | undefined
    testServer.server.connect({ ...user, userAgent: "test" }).send(request, (result) => {
      answered = Result.isSuccess(result)
        ? (result.success as KubeObject)
        : (result.failure as { status: Status }).status
    })
    if (answered === undefined) throw new Error("no answer")
    return answered
  }
  return {
    ...testServer,
    security,
    as: answer,
    review: (user, kind, body, { name = "", namespace = "" } = {}) => {
      const resource = security.virtual.find((candidate) => candidate.resource.kind === kind)
      if (resource === undefined) throw new Error(`no ${kind}`)
      const { group, plural } = resource.resource
      const parent = resource.subresource?.parent
      const attributes: RequestAttributes = {
        user,
        verb: "create",
        isResource: true,
        path: "",
        group: parent === undefined ? group : "",
        version: "v1",
        resource: parent ?? plural,
        subresource: resource.subresource?.name ?? "",
        namespace,
        name
      }
      const decision = security.authorizer.authorize(attributes)
      if (decision.decision !== "Allow") return authorizationRefusal(attributes, decision)
      const object = { apiVersion: `${group}/v1`, kind, metadata: {}, ...body }
      const posted = { user, namespace, name, object, dryRun: false }
      const prepared = resource.admission?.prepare(posted) ?? Result.succeed(object)
      if (Result.isFailure(prepared)) return prepared.failure
      const result = resource.create({ ...posted, object: prepared.success })
      return Result.isSuccess(result) ? result.success : result.failure
    }
  }
}
