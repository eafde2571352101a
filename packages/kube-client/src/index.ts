// The client.

export type { ExecOptions } from "./auth/execCredentials.ts"
export type {
  Auth,
  ClientConfig,
  ClientTls,
  ExecCluster,
  FetchedToken,
  FetchToken,
  Impersonation
} from "./ClientConfig.ts"
export type { LineSink } from "./http/lineStream.ts"
export type { ProxyEnvironment } from "./http/proxy.ts"
export type { Headers, RawAnswer, RawRequest } from "./http/RawRequest.ts"
export type { RawResult } from "./http/Transport.ts"
export { KubeClient, type KubeClientShape, linesOf, rawOf } from "./KubeClient.ts"
export { type ConnectionOptions, type KubeConnection, makeConnection } from "./makeConnection.ts"

// Kubeconfigs: read, written, shared.

export { type ClientConfigOptions, clientConfig } from "./kubeconfig/clientConfig.ts"
export type { EntryOwner } from "./kubeconfig/EntryOwner.ts"
export { type InClusterOptions, inClusterConfig } from "./kubeconfig/inCluster.ts"
export {
  type ClusterEntry,
  type ContextEntry,
  type ExecConfig,
  Kubeconfig,
  type UserEntry
} from "./kubeconfig/Kubeconfig.ts"
export { formatKubeconfig, type KubeconfigFor, kubeconfigFor, ownedKubeconfig } from "./kubeconfig/kubeconfigFor.ts"
export {
  kubeconfigFiles,
  type LoadedKubeconfig,
  type LoadOptions,
  loadKubeconfig
} from "./kubeconfig/loadKubeconfig.ts"
export { type Processes, type ProcessIdentity, processesOf } from "./kubeconfig/Processes.ts"
export {
  type SharedEntries,
  type ShareOptions,
  sharedName,
  shareKubeconfig,
  unshareKubeconfig
} from "./kubeconfig/sharedKubeconfig.ts"
export { kubeconfigObstacle, replaceKubeconfig, writeKubeconfig } from "./kubeconfig/writeKubeconfig.ts"
