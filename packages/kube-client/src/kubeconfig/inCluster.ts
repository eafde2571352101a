import { join } from "node:path"
import { readText } from "@rollcall/files"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import type { ClientConfig } from "../ClientConfig.ts"
import { MAX_PEM_BYTES } from "./limits.ts"

export interface InClusterOptions {
  /** The values of KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly host: string | undefined
  readonly port: string | undefined
  /** Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly folder?: string
}

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"

const read = (file: string): Effect.Effect<string, InvalidInput> =>
  Effect.mapError(readText(file, MAX_PEM_BYTES), ({ message }) => invalid(file, "", message))

/** Makes the configuration of a pod's service account. Upstream: client-go/rest/config.go InClusterConfig. */
export const inClusterConfig = ({
  folder = FOLDER,
  host,
  port
}: InClusterOptions): Effect.Effect<ClientConfig, InvalidInput> =>
  Effect.gen(function* () {
    if ((host ?? "") === "" || (port ?? "") === "") {
      const message = "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is no pod of a cluster"
      return yield* invalid("environment", "", message)
    }
    const file = join(folder, "token")
    const token = (yield* read(file)).trim()
    const ca = yield* read(join(folder, "ca.crt"))
    const namespace = yield* Effect.orElseSucceed(read(join(folder, "namespace")), () => "default")
    const shown = host?.includes(":") === true ? `[${host}]` : host
    return {
      server: `https://${shown}:${port}`,
      tls: { ca },
      auth: { type: "tokenFile", file, token },
      namespace: namespace.trim() === "" ? "default" : namespace.trim()
    }
  })
