import { componentLog } from "@rollcall/cluster"
import { identities } from "@rollcall/control-plane"
import { type KubeConnection, makeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { accountTokens } from "./accountTokens.ts"

/** What has the program's own user: the shared watches, and who signs tokens. Upstream: rootClientBuilder. */
const ownClients: ReadonlySet<string> = new Set(["shared-informers", "tokens-controller"])

/**
 * Makes connections of which each has the credentials of its controller's service account
 * (`--use-service-account-credentials`), by its name. `root` fetches the tokens. They close with the scope.
 */
export const accountConnections = Effect.fnUntraced(function* (root: KubeConnection, userAgent: string) {
  const timers = yield* Timers
  const log = yield* componentLog
  const connections = new Map<string, KubeConnection>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { close } of connections.values()) close()
    })
  )
  const connect = (user: string, account: string): KubeConnection => {
    const failed = (what: string, why: string) => log("error", what, { account, err: why })
    const { cert: _cert, key: _key, ...tls } = root.config.tls
    const fetch = accountTokens(account, { connection: root, timers, failed })
    const config = { ...root.config, tls, auth: { type: "fetched", fetch } as const }
    return makeConnection({ config, timers, userAgent: `${userAgent}/${user}` })
  }
  return (name: string): KubeConnection => {
    if (ownClients.has(name)) return root
    const { user } = identities.component(name)
    const known = connections.get(user)
    if (known !== undefined) return known
    const made = connect(user, user.slice(user.lastIndexOf(":") + 1))
    connections.set(user, made)
    return made
  }
})
