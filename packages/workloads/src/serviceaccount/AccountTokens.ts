import type { Secret, ServiceAccount } from "@rollcall/api"
import { type ClusterError, Controller, isConflict, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"

const TYPE = "kubernetes.io/service-account-token"
const NAME_KEY = "kubernetes.io/service-account.name"
const UID_KEY = "kubernetes.io/service-account.uid"

export interface AccountTokensConfig {
  /** The PEM of the CA with which pods verify the API server. */
  readonly rootCA: string | undefined
  /** Signs the token of an account that a Secret holds. */
  readonly sign: (account: ServiceAccount, secret: Secret) => string
}

/** Whether a Secret holds the token of a service account. */
export const isAccountToken = ({ type }: Secret): boolean => type === TYPE

/** Whether the Secret holds a token of the account. Upstream: apiserver/pkg/authentication/serviceaccount, IsServiceAccountToken. */
const belongsTo = ({ metadata: { annotations = {}, namespace } }: Secret, { metadata }: ServiceAccount): boolean =>
  namespace === metadata.namespace &&
  annotations[NAME_KEY] === metadata.name &&
  (annotations[UID_KEY] ?? metadata.uid) === metadata.uid

/** Returns the data that a Secret lacks; undefined if it lacks nothing. */
export const missingData = (
  secret: Secret,
  account: ServiceAccount,
  { rootCA = "", sign }: AccountTokensConfig
): Readonly<Record<string, string>> | undefined => {
  const data = secret.data ?? {}
  const lacks = (key: string) => (data[key] ?? "") === ""
  const missing = {
    ...(rootCA !== "" && data["ca.crt"] !== Base64.encode(rootCA) ? { "ca.crt": Base64.encode(rootCA) } : {}),
    ...(lacks("namespace") ? { namespace: Base64.encode(secret.metadata.namespace ?? "") } : {}),
    ...(lacks("token") ? { token: Base64.encode(sign(account, secret)) } : {})
  }
  return Object.keys(missing).length === 0 ? undefined : missing
}

/** Whether another write came first, or a deletion: an event follows, and queues the Secret again. */
const isOvertaken = (error: ClusterError): boolean => isConflict(error) || isNotFound(error)

const keyOf = ({ metadata: { name = "", namespace = "" } }: Secret): string => `${namespace}/${name}`

/**
 * Fills the Secrets that hold tokens of service accounts, deletes those whose account is gone, and removes deleted ones
 * from their accounts. Upstream: pkg/controller/serviceaccount/tokens_controller.go.
 */
export const layerAccountTokens = (config: AccountTokensConfig) =>
  Controller.make({
    name: "serviceaccount-token-controller",
    queue: "serviceaccount_tokens_service",
    for: "Secret",
    when: isAccountToken,
    watches: {
      ServiceAccount: {
        concerns: (account, { cache, isDeleted }) =>
          isDeleted
            ? cache("Secret")
                .list()
                .filter((secret) => isAccountToken(secret) && belongsTo(secret, account))
                .map(keyOf)
            : []
      }
    },
    workers: 5,
    reconcile: ({ cache, cluster }) => {
      const accounts = cache("ServiceAccount")
      const removeReferences = Effect.fnUntraced(function* (name: string, namespace: string) {
        for (const account of accounts.list()) {
          const { secrets = [], ...rest } = account
          if (account.metadata.namespace !== namespace || !secrets.some((secret) => secret.name === name)) continue
          const others = secrets.filter((secret) => secret.name !== name)
          const changed = others.length === 0 ? rest : { ...account, secrets: others }
          yield* Effect.catchIf(cluster.update("ServiceAccount", changed), isNotFound, () => Effect.void)
        }
      })
      const accountOf = (secret: Secret, name: string) =>
        Effect.gen(function* () {
          const { namespace = "" } = secret.metadata
          const cached = accounts.find(name, namespace)
          if (cached !== undefined && belongsTo(secret, cached)) return cached
          // The cache may lag behind the account that was created for this Secret.
          const live = yield* Effect.catchIf(cluster.get("ServiceAccount", { name, namespace }), isNotFound, () =>
            Effect.succeed(undefined)
          )
          return live !== undefined && belongsTo(secret, live) ? live : undefined
        })
      const fill = (secret: Secret, account: ServiceAccount, missing: Readonly<Record<string, string>>) => {
        const { name = "", uid = "" } = account.metadata
        const annotations = { ...secret.metadata.annotations, [NAME_KEY]: name, [UID_KEY]: uid }
        const metadata = { ...secret.metadata, annotations }
        return cluster.update("Secret", { ...secret, metadata, data: { ...secret.data, ...missing } })
      }
      return Effect.fnUntraced(function* (key) {
        const [namespace = "", name = ""] = key.split("/")
        const secret = cache("Secret").get(key)
        if (secret === undefined) return yield* removeReferences(name, namespace)
        const account = yield* accountOf(secret, secret.metadata.annotations?.[NAME_KEY] ?? "")
        const missing = account && missingData(secret, account, config)
        if (account !== undefined && missing === undefined) return
        const { uid } = secret.metadata
        const change: Effect.Effect<unknown, ClusterError> =
          account === undefined || missing === undefined
            ? cluster.delete("Secret", { name, namespace }, uid === undefined ? {} : { preconditions: { uid } })
            : fill(secret, account, missing)
        yield* Effect.catchIf(change, isOvertaken, () => Effect.void)
      })
    }
  })
