export type { ExecOptions } from "./auth/execCredentials.ts"
export * from "./ClientConfig.ts"
export { errorOf } from "./http/answer.ts"
export type { LineSink } from "./http/lineStream.ts"
export { type ProxyEnvironment, proxyFor } from "./http/proxy.ts"
export { type Headers, headerOf, type RawAnswer, type RawRequest } from "./http/RawRequest.ts"
export type { RawResult } from "./http/Transport.ts"
export { KubeClient, type KubeClientShape, linesOf, rawOf } from "./KubeClient.ts"
export { type ClientConfigOptions, clientConfig } from "./kubeconfig/clientConfig.ts"
export { EntryOwner, ownerIn } from "./kubeconfig/EntryOwner.ts"
export { type InClusterOptions, inClusterConfig } from "./kubeconfig/inCluster.ts"
export { ClusterEntry, ContextEntry, ExecConfig, Kubeconfig, UserEntry } from "./kubeconfig/Kubeconfig.ts"
export { KubeconfigError, type KubeconfigProblem } from "./kubeconfig/KubeconfigError.ts"
export { formatKubeconfig, type KubeconfigFor, kubeconfigFor, ownedKubeconfig } from "./kubeconfig/kubeconfigFor.ts"
export {
  kubeconfigFiles,
  type LoadedKubeconfig,
  type LoadOptions,
  loadKubeconfig
} from "./kubeconfig/loadKubeconfig.ts"
export { type Processes, ProcessIdentity, processesOf } from "./kubeconfig/Processes.ts"
export {
  type SharedEntries,
  type ShareOptions,
  sharedName,
  shareKubeconfig,
  unshareKubeconfig
} from "./kubeconfig/sharedKubeconfig.ts"
export { kubeconfigObstacle, writeKubeconfig } from "./kubeconfig/writeKubeconfig.ts"
export { type ConnectionOptions, type KubeConnection, makeConnection } from "./makeConnection.ts"
