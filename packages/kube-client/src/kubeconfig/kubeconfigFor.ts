import { writeYaml } from "@rollcall/yaml"
import { type EntryOwner, extensionsOf } from "./EntryOwner.ts"
import type { Kubeconfig } from "./Kubeconfig.ts"

/** How an administrator or a component reaches a server. PEM texts are embedded in the file. */
export interface KubeconfigFor {
  /** The name of the cluster and the context. */
  readonly name: string
  /** The name of the user; the default is `name`. */
  readonly user?: string
  readonly server: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
  readonly namespace?: string
}

const base64 = (pem: string): string => Buffer.from(pem).toString("base64")

/** Returns a kubeconfig with one cluster, one user and one context, which is the current one. */
export const kubeconfigFor = (given: KubeconfigFor): Kubeconfig => {
  const { ca, cert, key, name, namespace, server, token, user = name } = given
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server, ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }) } }
    ],
    contexts: [{ name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } }],
    "current-context": name,
    users: [
      {
        name: user,
        user: {
          ...(cert === undefined ? {} : { "client-certificate-data": base64(cert) }),
          ...(key === undefined ? {} : { "client-key-data": base64(key) }),
          ...(token === undefined ? {} : { token })
        }
      }
    ]
  }
}

/**
 * Returns a kubeconfig whose cluster, user and context are named after the owner's cluster and marked with the owner. A
 * common user name such as `kubernetes-admin` would replace another cluster's user in a shared file.
 */
export const ownedKubeconfig = (config: Kubeconfig, owner: EntryOwner): Kubeconfig => {
  const { cluster: name, previousContext: _, ...rest } = owner
  const extensions = extensionsOf({ cluster: name, ...rest })
  return {
    ...config,
    clusters: (config.clusters ?? []).map(({ cluster }) => ({ name, cluster: { ...cluster, extensions } })),
    contexts: (config.contexts ?? []).map(({ context }) => ({
      name,
      context: { ...context, cluster: name, user: name, extensions: extensionsOf(owner) }
    })),
    "current-context": name,
    users: (config.users ?? []).map(({ user }) => ({ name, user: { ...user, extensions } }))
  }
}

/** Strings are quoted: readers of YAML 1.1 would take `on` for a boolean and `1e3` for a number. */
export const yamlStyle = { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" } as const

/** Formats a kubeconfig file as kubectl does. */
export const formatKubeconfig = (config: Kubeconfig): string => writeYaml(config)
