import { readText } from "@rollcall/files"
import { type FlagValues, flag } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** The flags of a store in etcd. Upstream: apiserver/pkg/server/options/etcd.go. */
export const etcdFlags = {
  "etcd-servers": flag.texts(
    "keep the cluster in etcd instead of a file: the URLs of its members, such as https://10.0.0.1:2379; other API servers may use it too"
  ),
  "etcd-prefix": flag.text("/registry", "what the keys in etcd begin with"),
  "etcd-cafile": flag.text("", "a file with the certificate authorities of etcd"),
  "etcd-certfile": flag.text("", "a file with the certificate by which etcd knows this server"),
  "etcd-keyfile": flag.text("", "a file with the key of --etcd-certfile"),
  "etcd-compaction-interval": flag.duration(300_000, "how often old history of etcd is compacted; 0 for never")
} as const

/** A store in etcd. */
export interface EtcdSettings {
  readonly servers: ReadonlyArray<string>
  readonly prefix: string
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  readonly compactionIntervalMs: number
}

const MAX_BYTES = 1 << 20

const isEndpoint = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== ""
}

/** Reads the settings of etcd; undefined without `--etcd-servers`. */
export const etcdOf = Effect.fnUntraced(function* (
  values: FlagValues<typeof etcdFlags>
): Effect.fn.Return<EtcdSettings | undefined, InvalidInput> {
  const servers = values["etcd-servers"]
  if (servers.length === 0) return undefined
  for (const server of servers) {
    if (isEndpoint(server)) continue
    const message = `found ${JSON.stringify(server)}, expected a URL such as https://10.0.0.1:2379`
    return yield* invalid("command line", "--etcd-servers", message)
  }
  const [certificate, key] = [values["etcd-certfile"], values["etcd-keyfile"]]
  if ((certificate === "") !== (key === "")) {
    const missing = key === "" ? "--etcd-keyfile" : "--etcd-certfile"
    return yield* invalid("command line", missing, "a certificate needs its key: set both flags")
  }
  const read = (file: string) =>
    file === ""
      ? Effect.succeed(undefined)
      : Effect.mapError(readText(file, MAX_BYTES), ({ message }) => invalid(file, "", message))
  const ca = yield* read(values["etcd-cafile"])
  const cert = yield* read(certificate)
  const keyText = yield* read(key)
  return {
    servers,
    prefix: values["etcd-prefix"].replace(/\/+$/, ""),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(keyText === undefined ? {} : { key: keyText })
    },
    compactionIntervalMs: values["etcd-compaction-interval"]
  }
})
