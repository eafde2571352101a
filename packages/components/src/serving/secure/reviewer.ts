import type { KubeConnection } from "@rollcall/kube-client"
import * as Result from "effect/Result"
import type { Caller, Reviewer } from "./Access.ts"

interface TokenReviewStatus {
  readonly authenticated?: boolean
  readonly user?: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: ReadonlyArray<string>
    readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
  }
}

export interface AccessReviewStatus {
  readonly allowed?: boolean
  readonly reason?: string
}

const REVIEW_TIMEOUT_MS = 10_000
const CREATED = 201

/** Sends a review to the API server and returns its status. */
export const review = <A>(connection: KubeConnection, group: string, plural: string, object: object): Promise<A> =>
  new Promise((resolve, reject) => {
    const request = {
      method: "POST",
      path: `/apis/${group}/v1/${plural}`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ apiVersion: `${group}/v1`, ...object }),
      timeoutMs: REVIEW_TIMEOUT_MS
    }
    connection.raw(request, (result) => {
      if (Result.isFailure(result)) return reject(new Error(result.failure.message))
      const { body, code } = result.success
      if (code !== CREATED) return reject(new Error(`${plural}: the API server answered ${code}: ${body.trim()}`))
      try {
        resolve(JSON.parse(body).status as A)
      } catch (error) {
        reject(error)
      }
    })
  })

/** Asks the API server of a connection. */
export const reviewerOf = (connection: KubeConnection): Reviewer => ({
  reviewToken: async (token) => {
    const object = { kind: "TokenReview", spec: { token } }
    const status = await review<TokenReviewStatus>(connection, "authentication.k8s.io", "tokenreviews", object)
    if (status.authenticated !== true || status.user?.username === undefined) return undefined
    const { extra, groups = [], uid, username } = status.user
    return { user: username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) }
  },
  reviewAccess: async ({ extra, groups, uid, user }: Caller, verb, path, about) => {
    const spec = {
      user,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
      ...(about === undefined
        ? { nonResourceAttributes: { path, verb } }
        : {
            resourceAttributes: {
              verb,
              version: "v1",
              resource: "nodes",
              subresource: about.subresource,
              name: about.node
            }
          })
    }
    const object = { kind: "SubjectAccessReview", spec }
    const status = await review<AccessReviewStatus>(connection, "authorization.k8s.io", "subjectaccessreviews", object)
    return { allowed: status.allowed === true, reason: status.reason ?? "" }
  }
})

/** Returns the CA of client certificates that the API server publishes; undefined if there is none. */
export const publishedClientCa = (connection: KubeConnection): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
    connection.raw({ method: "GET", path, timeoutMs: REVIEW_TIMEOUT_MS }, (result) => {
      if (Result.isFailure(result)) return reject(new Error(result.failure.message))
      const { body, code } = result.success
      if (code !== 200) return reject(new Error(`${path}: the API server answered ${code}`))
      try {
        resolve(JSON.parse(body).data?.["client-ca-file"])
      } catch (error) {
        reject(error)
      }
    })
  })
