export { type EtcdOptions, type EtcdTls, layerEtcd } from "./EtcdStore.ts"
