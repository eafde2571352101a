import * as Schema from "effect/Schema"

const opt = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

const Text = opt(Schema.String)
const Flag = opt(Schema.Boolean)
const Texts = opt(Schema.Array(Schema.String))
const Extensions = opt(Schema.Unknown)

/** A program that returns credentials. Upstream: client-go/tools/clientcmd/api/v1/types.go ExecConfig. */
export const ExecConfig = Schema.Struct({
  apiVersion: Schema.Literals(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]),
  command: Schema.String,
  args: opt(Schema.NullOr(Schema.Array(Schema.String))),
  env: opt(Schema.NullOr(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })))),
  installHint: Text,
  provideClusterInfo: Flag,
  interactiveMode: opt(Schema.Literals(["Never", "IfAvailable", "Always"]))
})
export interface ExecConfig extends Schema.Schema.Type<typeof ExecConfig> {}

/** An API server's address, and how to verify it. */
export const ClusterEntry = Schema.Struct({
  server: Text,
  "tls-server-name": Text,
  "insecure-skip-tls-verify": Flag,
  "certificate-authority": Text,
  "certificate-authority-data": Text,
  "proxy-url": Text,
  "disable-compression": Flag,
  extensions: Extensions
})
export interface ClusterEntry extends Schema.Schema.Type<typeof ClusterEntry> {}

/** A user's credentials. */
export const UserEntry = Schema.Struct({
  "client-certificate": Text,
  "client-certificate-data": Text,
  "client-key": Text,
  "client-key-data": Text,
  token: Text,
  tokenFile: Text,
  as: Text,
  "as-uid": Text,
  "as-groups": Texts,
  "as-user-extra": opt(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  username: Text,
  password: Text,
  "auth-provider": opt(Schema.Unknown),
  exec: opt(ExecConfig),
  extensions: Extensions
})
export interface UserEntry extends Schema.Schema.Type<typeof UserEntry> {}

/** A cluster, a user and a namespace, under one name. */
export const ContextEntry = Schema.Struct({ cluster: Text, user: Text, namespace: Text, extensions: Extensions })
export interface ContextEntry extends Schema.Schema.Type<typeof ContextEntry> {}

const named = <K extends string, S extends Schema.Constraint>(key: K, entry: S) =>
  opt(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({ name: Schema.String, [key]: entry } as { readonly name: typeof Schema.String } & Record<K, S>)
      )
    )
  )

/** A kubeconfig file. */
export const Kubeconfig = Schema.Struct({
  apiVersion: opt(Schema.Literal("v1")),
  kind: opt(Schema.Literal("Config")),
  preferences: opt(Schema.Unknown),
  clusters: named("cluster", ClusterEntry),
  contexts: named("context", ContextEntry),
  users: named("user", UserEntry),
  "current-context": Text,
  extensions: Extensions
})
export interface Kubeconfig extends Schema.Schema.Type<typeof Kubeconfig> {}
