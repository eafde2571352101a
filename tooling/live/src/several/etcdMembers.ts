import { join } from "node:path"
import { memberArgs } from "@rollcall/store-etcd/testing"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { type Program, startProgram } from "../process/Program.ts"
import { freePort } from "../process/rollcall.ts"

/** The members of one etcd on loopback. */
export interface EtcdMembers {
  readonly urls: ReadonlyArray<string>
  /** The processes of the members. */
  readonly pids: () => ReadonlyArray<number>
  /** Kills a member as kill -9 does. */
  readonly kill: (member: number) => Effect.Effect<void>
  /** Starts a killed member again, with its data. */
  readonly start: (member: number) => Effect.Effect<void>
}

/** Starts the members in folders below this one; the scope kills them. */
export const startMembers = Effect.fnUntraced(function* (count: number, folder: string) {
  const ports = yield* Effect.replicateEffect(Effect.all([freePort, freePort]), count)
  const urlOf = (port: number) => `http://127.0.0.1:${port}`
  const cluster = ports.map(([, peer], index) => `member-${index}=${urlOf(peer)}`)
  const scope = yield* Effect.scope
  const launch = (index: number) => {
    const [client = 0, peer = 0] = ports[index] ?? []
    const args = memberArgs({
      name: `member-${index}`,
      folder: join(folder, `etcd-${index}`),
      clientUrl: urlOf(client),
      peerUrl: urlOf(peer),
      cluster
    })
    return startProgram("etcd", args).pipe(Effect.provideService(Scope.Scope, scope))
  }
  const members: Array<Program> = []
  for (let index = 0; index < count; index++) members.push(yield* launch(index))
  return {
    urls: ports.map(([client]) => urlOf(client)),
    pids: () => members.map(({ pid }) => pid),
    kill: (index) =>
      Effect.suspend(() => {
        members[index]?.send("SIGKILL")
        return Effect.asVoid(members[index]?.ended ?? Effect.void)
      }),
    start: (index) =>
      Effect.map(launch(index), (program) => {
        members[index] = program
      })
  } satisfies EtcdMembers
})
