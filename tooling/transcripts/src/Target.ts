import type { InvalidInput } from "@rollcall/input"
import { clientConfig, type Kubeconfig, loadKubeconfig } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Who } from "./Case.ts"

/** The credentials of a user. */
export interface Identity {
  /** PEM. */
  readonly cert?: string
  readonly key?: string
  readonly token?: string
  readonly impersonate?: { readonly user: string; readonly groups: ReadonlyArray<string> }
}

/** A server to test, with the credentials of the users. */
export interface Target {
  readonly server: string
  /** PEM. */
  readonly ca?: string
  readonly insecure?: boolean
  readonly identities: Readonly<Record<Who, Identity>>
}

const worker = { user: "system:node:worker-1", groups: ["system:nodes"] }
const alice = { user: "alice", groups: ["developers"] }

/** Returns the identities of cases, from the administrator's and optionally a node's. */
export const identitiesOf = (
  admin: Identity,
  node: Identity = { ...admin, impersonate: worker }
): Target["identities"] => ({
  admin,
  "worker-1": node,
  alice: { ...admin, impersonate: alice },
  anonymous: {},
  "bad-token": { token: "not-a-valid-token" }
})

/** A kubeconfig that the runner cannot use. */
export class UnusableKubeconfig extends Schema.TaggedError<UnusableKubeconfig>()("UnusableKubeconfig", {
  message: Schema.String
}) {}

/** Returns the server of a kubeconfig's current context. The context `worker-1` is the node's; without it the node is impersonated. */
export const targetOf = (file: string): Effect.Effect<Target, InvalidInput | UnusableKubeconfig> =>
  Effect.gen(function* () {
    const loaded = yield* loadKubeconfig({ file })
    const identityFor = Effect.fnUntraced(function* (context?: string) {
      const config = yield* clientConfig(loaded, { context })
      const { auth, tls } = config
      if (!["none", "token", "certificateFiles"].includes(auth.type)) {
        return yield* new UnusableKubeconfig({
          message: `${file}: found credentials of type ${auth.type}, expected a client certificate or a token`
        })
      }
      const identity: Identity = {
        ...(tls.cert !== undefined && { cert: tls.cert }),
        ...(tls.key !== undefined && { key: tls.key }),
        ...(auth.type === "token" && { token: auth.token })
      }
      return { config, identity }
    })
    const { config, identity } = yield* identityFor()
    const node = loaded.contexts.has("worker-1") ? (yield* identityFor("worker-1")).identity : undefined
    return {
      server: config.server.replace(/\/$/, ""),
      ...(config.tls.ca !== undefined && { ca: config.tls.ca }),
      ...(config.tls.insecure !== undefined && { insecure: config.tls.insecure }),
      identities: identitiesOf(identity, node)
    }
  })

const base64 = (pem: string): string => Buffer.from(pem).toString("base64")

/** Returns the kubeconfig for a case's commands: one context for each user, all with the case's namespace. */
export const kubeconfigOf = ({ ca, identities, insecure, server }: Target, namespace: string): Kubeconfig => {
  const users = Object.entries(identities)
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin",
    clusters: [
      {
        name: "cluster",
        cluster: {
          server,
          ...(ca !== undefined && { "certificate-authority-data": base64(ca) }),
          ...(insecure === true && { "insecure-skip-tls-verify": true })
        }
      }
    ],
    users: users.map(([name, { cert, impersonate, key, token }]) => ({
      name,
      user: {
        ...(cert !== undefined && { "client-certificate-data": base64(cert) }),
        ...(key !== undefined && { "client-key-data": base64(key) }),
        ...(token !== undefined && { token }),
        ...(impersonate !== undefined && { as: impersonate.user, "as-groups": impersonate.groups })
      }
    })),
    contexts: users.map(([name]) => ({ name, context: { cluster: "cluster", user: name, namespace } }))
  }
}
