import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { type ClientOptions, configOf, connectionTo, freePort, readyServer } from "../process/rollcall.ts"

const SHARED_KEYS = ["ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key", "sa.key", "sa.pub"]

/** Starts two API servers of one etcd; the second one with the keys of the first. */
export const startServers = Effect.fnUntraced(function* (
  folder: string,
  etcd: ReadonlyArray<string>,
  more: ReadonlyArray<string> = []
) {
  const optionsOf = (index: number, port: number) => ({
    folder: join(folder, `server-${index}`),
    port,
    args: ["--etcd-servers", etcd.join(","), "--advertise-address", `192.0.2.${index + 1}`, ...more]
  })
  const options = [optionsOf(0, yield* freePort), optionsOf(1, yield* freePort)] as const
  const first = yield* readyServer(options[0])
  mkdirSync(join(options[1].folder, "pki"), { recursive: true, mode: 0o700 })
  for (const file of SHARED_KEYS) {
    copyFileSync(join(options[0].folder, "pki", file), join(options[1].folder, "pki", file))
  }
  const servers = [first, yield* readyServer(options[1])]
  const connect = Effect.fnUntraced(function* (index: number, more: ClientOptions = {}) {
    return yield* connectionTo(yield* configOf(servers[index]?.kubeconfig ?? ""), { requestTimeoutMs: 12_000, ...more })
  })
  const kill = Effect.fnUntraced(function* (index: 0 | 1) {
    servers[index]?.program.send("SIGKILL")
    yield* servers[index]?.program.ended ?? Effect.void
  })
  const start = Effect.fnUntraced(function* (index: 0 | 1) {
    servers[index] = yield* readyServer(options[index])
  })
  return {
    connect,
    kill,
    start,
    ports: options.map(({ port }) => port),
    kubeconfigs: servers.map(({ kubeconfig }) => kubeconfig),
    pids: () => servers.map(({ program }) => program.pid),
    restart: (index: 0 | 1) => Effect.andThen(kill(index), start(index))
  }
})
