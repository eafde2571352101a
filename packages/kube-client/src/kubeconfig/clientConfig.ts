import { readText } from "@rollcall/files"
import { type InvalidInput, invalid, missing, unknownAmong, wrongValue } from "@rollcall/input"
import * as Effect from "effect/Effect"
import type { Auth, ClientConfig, ClientTls, ExecCluster, Impersonation } from "../ClientConfig.ts"
import { type ProxyEnvironment, proxyFor } from "../http/proxy.ts"
import type { ClusterEntry, UserEntry } from "./Kubeconfig.ts"
import { MAX_PEM_BYTES } from "./limits.ts"
import type { LoadedKubeconfig, PlacedEntry } from "./loadKubeconfig.ts"

export interface ClientConfigOptions extends ProxyEnvironment {
  /** The name of the context; the default is the current context. */
  readonly context?: string | undefined
}

const namesOf = (map: ReadonlyMap<string, unknown>): ReadonlyArray<string> => [...map.keys()]

const findEntry = <A>(
  map: ReadonlyMap<string, PlacedEntry<A>>,
  name: string,
  what: string,
  file: string,
  path: string
): Effect.Effect<PlacedEntry<A>, InvalidInput> => {
  const found = map.get(name)
  return found === undefined
    ? Effect.fail(invalid(file, path, unknownAmong(`no ${what} is called "${name}"`, name, namesOf(map))))
    : Effect.succeed(found)
}

/** Reads PEM from the `-data` field, which takes precedence, or from the file. */
const pemOf = <A extends object>(
  { entry, file, path }: PlacedEntry<A>,
  field: keyof A & string
): Effect.Effect<string | undefined, InvalidInput> => {
  const data = (entry as Readonly<Record<string, unknown>>)[`${field}-data`]
  const name = entry[field]
  return Effect.gen(function* () {
    let text: string
    let from = `${path}.${field}`
    if (typeof data === "string" && data !== "") {
      from = `${from}-data`
      text = Buffer.from(data, "base64").toString("utf8")
    } else if (typeof name === "string" && name !== "") {
      text = yield* Effect.mapError(readText(name, MAX_PEM_BYTES), ({ message }) =>
        invalid(file, from, `${name} ${message}`)
      )
    } else return undefined
    if (text.includes("-----BEGIN ")) return text
    return yield* invalid(file, from, "found no PEM block, expected one that starts with -----BEGIN")
  })
}

const serverOf = ({ entry, file, path }: PlacedEntry<ClusterEntry>): Effect.Effect<string, InvalidInput> => {
  const { server = "" } = entry
  const at = `${path}.server`
  if (server === "") return Effect.fail(invalid(file, at, missing()))
  const url = URL.canParse(server) ? new URL(server) : undefined
  return url !== undefined && (url.protocol === "https:" || url.protocol === "http:")
    ? Effect.succeed(server)
    : Effect.fail(invalid(file, at, wrongValue(server, "a URL with https:// or http://")))
}

const proxyOf = (
  server: string,
  { entry, file, path }: PlacedEntry<ClusterEntry>,
  environment: ProxyEnvironment
): Effect.Effect<string | undefined, InvalidInput> => {
  const given = entry["proxy-url"]
  if (given === undefined || given === "") return Effect.succeed(proxyFor(server, environment))
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
    ? Effect.succeed(given)
    : Effect.fail(invalid(file, `${path}.proxy-url`, wrongValue(given, "a URL with http:// or https://")))
}

const execClusterOf = (server: string, entry: ClusterEntry, ca: string | undefined): ExecCluster => {
  const extensions = entry.extensions
  const config = Array.isArray(extensions)
    ? (extensions as ReadonlyArray<{ readonly name?: string; readonly extension?: unknown }>).find(
        ({ name }) => name === "client.authentication.k8s.io/exec"
      )?.extension
    : undefined
  const { "insecure-skip-tls-verify": insecure, "proxy-url": proxy, "tls-server-name": serverName } = entry
  return {
    server,
    ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
    ...(insecure === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(proxy === undefined ? {} : { "proxy-url": proxy }),
    ...(config === undefined ? {} : { config })
  }
}

const authOf = (
  { entry, file, path }: PlacedEntry<UserEntry>,
  cluster: ExecCluster
): Effect.Effect<Auth, InvalidInput> => {
  const { exec, password = "", token = "", tokenFile = "", username = "" } = entry
  if (entry["auth-provider"] !== undefined) {
    const message = "auth providers have been removed from Kubernetes clients; expected exec"
    return Effect.fail(invalid(file, `${path}.auth-provider`, message))
  }
  if (tokenFile !== "") {
    return Effect.succeed({ type: "tokenFile", file: tokenFile, ...(token === "" ? {} : { token }) })
  }
  if (token !== "") return Effect.succeed({ type: "token", token })
  if (username !== "") return Effect.succeed({ type: "basic", username, password })
  if (exec !== undefined) return Effect.succeed({ type: "exec", exec, cluster })
  const { "client-certificate": certFile = "", "client-key": keyFile = "" } = entry
  const isFiles = certFile !== "" && keyFile !== "" && !entry["client-certificate-data"] && !entry["client-key-data"]
  if (isFiles) return Effect.succeed({ type: "certificateFiles", cert: certFile, key: keyFile })
  return Effect.succeed({ type: "none" })
}

const impersonationOf = ({
  entry,
  file,
  path
}: PlacedEntry<UserEntry>): Effect.Effect<Impersonation | undefined, InvalidInput> => {
  const { as: user = "", "as-groups": groups, "as-uid": uid, "as-user-extra": extra } = entry
  if (user === "") {
    return groups === undefined && uid === undefined && extra === undefined
      ? Effect.succeed(undefined)
      : Effect.fail(invalid(file, `${path}.as`, missing(" with as-groups, as-uid or as-user-extra")))
  }
  return Effect.succeed({
    user,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra })
  })
}

/**
 * Resolves a context of a kubeconfig to server, trust and credentials. Reads the files that it refers to. Upstream:
 * client-go/tools/clientcmd/client_config.go.
 */
export const clientConfig = (
  loaded: LoadedKubeconfig,
  options: ClientConfigOptions = {}
): Effect.Effect<ClientConfig, InvalidInput> =>
  Effect.gen(function* () {
    const firstFile = loaded.files[0] ?? "kubeconfig"
    const name = options.context ?? loaded.currentContext ?? ""
    if (name === "") {
      const known = namesOf(loaded.contexts)
      const hint = known.length === 0 ? "there are no contexts" : `contexts: ${known.join(", ")}`
      return yield* invalid(firstFile, "current-context", `is not set; ${hint}`)
    }
    const context = yield* findEntry(
      loaded.contexts,
      name,
      "context",
      firstFile,
      options.context === undefined ? "current-context" : ""
    )
    const { entry, file, path } = context
    const cluster = yield* findEntry(loaded.clusters, entry.cluster ?? "", "cluster", file, `${path}.cluster`)
    const user: PlacedEntry<UserEntry> =
      (entry.user ?? "") === ""
        ? { entry: {}, file, path: `${path}.user` }
        : yield* findEntry(loaded.users, entry.user ?? "", "user", file, `${path}.user`)
    const server = yield* serverOf(cluster)
    const ca = yield* pemOf(cluster, "certificate-authority")
    const insecure = cluster.entry["insecure-skip-tls-verify"] === true
    if (insecure && ca !== undefined) {
      const message = "cannot be true while a certificate authority is given"
      return yield* invalid(cluster.file, `${cluster.path}.insecure-skip-tls-verify`, message)
    }
    const cert = yield* pemOf(user, "client-certificate")
    const key = yield* pemOf(user, "client-key")
    if ((cert === undefined) !== (key === undefined)) {
      const missingField = cert === undefined ? "client-certificate" : "client-key"
      return yield* invalid(
        user.file,
        `${user.path}.${missingField}`,
        missing(": a client certificate goes with its key")
      )
    }
    const serverName = cluster.entry["tls-server-name"] ?? ""
    const tls: ClientTls = {
      ...(ca === undefined ? {} : { ca }),
      ...(insecure ? { insecure } : {}),
      ...(serverName === "" ? {} : { serverName }),
      ...(cert === undefined || key === undefined ? {} : { cert, key })
    }
    const impersonate = yield* impersonationOf(user)
    const proxyUrl = yield* proxyOf(server, cluster, options)
    return {
      server,
      tls,
      auth: yield* authOf(user, execClusterOf(server, cluster.entry, ca)),
      namespace: (entry.namespace ?? "") === "" ? "default" : (entry.namespace ?? ""),
      ...(impersonate === undefined ? {} : { impersonate }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      ...(cluster.entry["disable-compression"] === true ? { disableCompression: true } : {})
    }
  })
