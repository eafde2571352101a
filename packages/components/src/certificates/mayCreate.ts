import type { CertificateSigningRequest } from "@rollcall/api"
import type { Authorizer } from "@rollcall/api-server"
import { connectionErrorFrom } from "@rollcall/cluster"
import type { KubeConnection } from "@rollcall/kube-client"
import type { CertificateKeys } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import { type AccessReviewStatus, review } from "../serving/secure/reviewer.ts"

const GROUP = "certificates.k8s.io"
const RESOURCE = "certificatesigningrequests"

/** Asks the authorizer of a server in this process. */
export const askAuthorizer =
  (authorizer: Authorizer): CertificateKeys["mayCreate"] =>
  ({ spec: { extra, groups = [], uid, username = "" } }: CertificateSigningRequest, subresource) =>
    Effect.sync(() => {
      const { decision } = authorizer.authorize({
        user: {
          user: username,
          groups,
          ...(uid === undefined ? {} : { uid }),
          ...(extra === undefined ? {} : { extra })
        },
        verb: "create",
        isResource: true,
        path: "",
        group: GROUP,
        version: "*",
        resource: RESOURCE,
        subresource,
        namespace: "",
        name: ""
      })
      return decision === "Allow"
    })

/** Asks the API server of a connection with a SubjectAccessReview. */
export const askServer =
  (connection: KubeConnection): CertificateKeys["mayCreate"] =>
  ({ spec: { extra, groups, uid, username: user } }, subresource) =>
    Effect.map(
      Effect.tryPromise({
        try: () =>
          review<AccessReviewStatus>(connection, "authorization.k8s.io", "subjectaccessreviews", {
            kind: "SubjectAccessReview",
            spec: {
              user,
              groups,
              uid,
              extra,
              resourceAttributes: { group: GROUP, version: "*", resource: RESOURCE, subresource, verb: "create" }
            }
          }),
        catch: (error) => connectionErrorFrom("SubjectAccessReview", error)
      }),
      ({ allowed }) => allowed === true
    )
