export * from "./Cluster.ts"
export * from "./ClusterError.ts"
export * from "./Connection.ts"
